/** What is read of webhooks, by its name in the cache. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { hoplineOf } from "../caches.ts";
import type { DeliveryState } from "./webhook-words.ts";

export const webhooksQuery = queryOptions({
  queryKey: ["webhooks"],
  queryFn: ({ client }) => Array.fromAsync(hoplineOf(client).listWebhooks({ limit: 100 })),
});

export function webhookQuery(webhookId: string) {
  return queryOptions({
    queryKey: ["webhook", webhookId],
    queryFn: ({ client, signal }) => hoplineOf(client).readWebhook({ webhookId }, { signal }),
  });
}

/** How often a page that is shown is read again, and how often while something is about to be sent. */
const REFRESH_MS = 5_000;
const REFRESH_SOON_MS = 1_500;

export function statsQuery(webhookId: string) {
  return queryOptions({
    queryKey: ["webhook", webhookId, "stats"],
    queryFn: ({ client, signal }) => hoplineOf(client).readWebhookStats({ webhookId }, { signal }),
    refetchInterval: ({ state: { data } }) =>
      (data?.waiting.deliveries ?? 0) > 0 ? REFRESH_SOON_MS : REFRESH_MS,
  });
}

export function deliveriesQuery(webhookId: string, state: DeliveryState | null) {
  return infiniteQueryOptions({
    queryKey: ["webhook", webhookId, "deliveries", state],
    queryFn: async ({ client, pageParam, signal }) =>
      hoplineOf(client).listWebhookDeliveries(
        {
          webhookId,
          limit: 50,
          ...(state === null ? {} : { state: [state] }),
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextCursor,
    // Only while the newest are shown: further pages would all be read again.
    refetchInterval: ({ state: { data } }) => {
      const [first, second] = data?.pages ?? [];
      const isWaiting = first?.data.some((one) => one.state === "waiting") === true;
      return second !== undefined ? false : isWaiting ? REFRESH_SOON_MS : REFRESH_MS;
    },
  });
}
