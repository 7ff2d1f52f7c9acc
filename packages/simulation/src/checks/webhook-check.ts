/** Whether receivers of webhooks get each click, at least once and under its own id, and nothing of another workspace. */
import type { SimulatedDatabase } from "../platform/postgres.ts";
import type { Seeded } from "../time/seeded.ts";

export type WebhookCheck = ReturnType<typeof createWebhookCheck>;

export function createWebhookCheck(random: Seeded) {
  /** Ids of messages that a receiver accepted, by its path. */
  const accepted = new Map<string, Set<string>>();
  return {
    /** A receiver that is down now and then. */
    async receive(request: Request): Promise<Response> {
      const path = new URL(request.url).pathname.slice(1);
      const ids = accepted.get(path) ?? new Set<string>();
      accepted.set(path, ids);
      if (random.chance(0.1)) {
        return new Response("", { status: 503 });
      }
      ids.add(request.headers.get("webhook-id") ?? "");
      return new Response("");
    },
    /** When nothing is on its way any more. */
    async judge({ select }: Pick<SimulatedDatabase, "select">): Promise<readonly string[]> {
      const rows = await select(
        `SELECT e.url, w.name, c.event_id AS event FROM webhook_endpoints e JOIN workspaces w ON w.id = e.workspace_id
           JOIN click_events c ON c.workspace_id = e.workspace_id AND c.clicked_at > e.created_at + interval '1 minute'`,
      );
      const problems: string[] = [];
      for (const { url, name, event } of rows) {
        const path = new URL(String(url)).pathname.slice(1);
        const id = String(event);
        if (accepted.get(path)?.has(id) !== true) {
          problems.push(`the receiver of ${String(name)} did not get the click ${id}`);
        }
      }
      return problems;
    },
  };
}
