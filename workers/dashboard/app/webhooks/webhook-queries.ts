/** What is read of webhooks, by its name in the cache. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { ask, askAll, askPages } from "../queries.ts";
import type { DeliveryState } from "./webhook-words.ts";

export const webhooksQuery = askAll(["webhooks"], (hopline) => hopline.listWebhooks({ limit: 100 }));

export function webhookQuery(webhookId: string) {
  return ask(["webhook", webhookId], (hopline, options) => hopline.readWebhook({ webhookId }, options));
}

/** How often a page that is shown is read again, and how often while something is about to be sent. */
const REFRESH_MS = 5_000;
const REFRESH_SOON_MS = 1_500;

export function statsQuery(webhookId: string) {
  return queryOptions({
    ...ask(["webhook", webhookId, "stats"], (hopline, options) =>
      hopline.readWebhookStats({ webhookId }, options),
    ),
    refetchInterval: ({ state: { data } }) =>
      (data?.waiting.deliveries ?? 0) > 0 ? REFRESH_SOON_MS : REFRESH_MS,
  });
}

export function deliveriesQuery(webhookId: string, state: DeliveryState | null) {
  return infiniteQueryOptions({
    ...askPages(["webhook", webhookId, "deliveries", state], (hopline, page, options) =>
      hopline.listWebhookDeliveries(
        { webhookId, limit: 50, ...(state === null ? {} : { state: [state] }), ...page },
        options,
      ),
    ),
    // Only while the newest are shown: further pages would all be read again.
    refetchInterval: ({ state: { data } }) => {
      const [first, second] = data?.pages ?? [];
      const isWaiting = first?.data.some((one) => one.state === "waiting") === true;
      return second !== undefined ? false : isWaiting ? REFRESH_SOON_MS : REFRESH_MS;
    },
  });
}
