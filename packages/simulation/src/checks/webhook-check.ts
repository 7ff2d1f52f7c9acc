/**
 * Whether receivers of webhooks get each click, and nothing of another workspace. Clicks have other ids outside, so they are compared by
 * when they happened.
 */
import type { SimulatedDatabase } from "../platform/postgres.ts";
import type { Seeded } from "../time/seeded.ts";

export type WebhookCheck = ReturnType<typeof createWebhookCheck>;

export function createWebhookCheck(random: Seeded) {
  /** Instants of clicks that a receiver accepted, by its path and the id of the click. */
  const accepted = new Map<string, Map<string, number>>();
  return {
    /** A receiver that is down now and then. */
    async receive(request: Request): Promise<Response> {
      const path = new URL(request.url).pathname.slice(1);
      const clicks = accepted.get(path) ?? new Map<string, number>();
      accepted.set(path, clicks);
      if (random.chance(0.1)) {
        return new Response("", { status: 503 });
      }
      const body: unknown = await request.json();
      clicksOf(body).forEach(({ id, at }) => clicks.set(id, Date.parse(at)));
      return new Response("");
    },
    /** When nothing is on its way any more. A webhook has clicks from its creation on, by clocks that may be seconds ahead. */
    async judge({ select }: Pick<SimulatedDatabase, "select">): Promise<readonly string[]> {
      const rows = await select(
        `SELECT w.name, (extract(epoch FROM c.clicked_at) * 1000)::float8 AS at, count(DISTINCT c.event_id)::int AS clicks,
           bool_or(c.clicked_at > e.created_at + interval '5 seconds') AS is_due
         FROM workspaces w JOIN webhook_endpoints e ON e.workspace_id = w.id JOIN sim.clicks c ON c.workspace_id = w.id
         GROUP BY 1, 2`,
      );
      const known = new Map(
        rows.map(({ name, at, clicks, is_due: isDue }) => [
          `${String(name)} ${String(at)}`,
          { clicks: Number(clicks), isDue },
        ]),
      );
      const received = new Map<string, number>();
      for (const [path, clicks] of accepted) {
        for (const at of clicks.values()) {
          received.set(`${path} ${at}`, (received.get(`${path} ${at}`) ?? 0) + 1);
        }
      }
      const missing = [...known].filter(
        ([key, { clicks, isDue }]) => isDue === true && (received.get(key) ?? 0) < clicks,
      );
      const foreign = [...received].filter(([key, clicks]) => clicks > (known.get(key)?.clicks ?? 0));
      return [
        ...missing.map(([key]) => `a receiver did not get the click of ${key}`),
        ...foreign.map(([key]) => `a receiver got a click of ${key} that is not there`),
      ];
    },
  };
}

type ClickOutside = { readonly id: string; readonly at: string };

/** Of one, or of several. */
function clicksOf(message: unknown): readonly ClickOutside[] {
  const { type, data } = message as {
    type: string;
    data: ClickOutside & { readonly clicks?: readonly ClickOutside[] };
  };
  return type === "click" ? [data] : (data.clicks ?? []);
}
