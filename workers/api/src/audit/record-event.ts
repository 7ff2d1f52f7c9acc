/** Entries of the log for what changes no row: exports and replays. A read, so it has no actor until it is said here. */
import { sql } from "drizzle-orm";
import type { Context } from "hono";
import type { Database } from "../database.ts";
import type { ApiContext } from "../http/authenticate.ts";
import { actAs } from "../acting.ts";

type LogEvent = {
  readonly action:
    | "link.exported"
    | "workspace.clicks_exported"
    | "workspace.log_exported"
    | "webhook.replayed";
  /** A UUID; `null`: of many. */
  readonly resourceId: string | null;
  readonly label: string | null;
};

export async function recordEvent(
  context: Context<ApiContext>,
  database: Database,
  { action, resourceId, label }: LogEvent,
): Promise<void> {
  const { subject, workspaceId } = context.get("principal");
  // The statement is sent when it is waited for, which has to be in there.
  await actAs({ actor: subject, requestId: context.get("requestId") }, async () => {
    await database.execute(sql`
      WITH recorded AS (SELECT audit_event(${workspaceId}::uuid, ${action}, ${resourceId}::uuid, ${label})) SELECT * FROM recorded`);
  });
}
