/**
 * Ends links whose click cap is reached: publishes a record that says so. Strict caps never let more pass; it spares them
 * the question. Fast ones end by it alone: from the click that reached the cap, its queue delay, this and the feed pass.
 */
import { sql } from "drizzle-orm";
import { changeLink } from "./change-link.ts";
import type { AppSchemes } from "./destination.ts";
import type { Publisher } from "./publishing/publish-changes.ts";
import type { Database } from "./store/database.ts";

/** Each takes a handful of statements; the next run takes the rest. */
const MAX_LINKS = 100;

/** How many links were ended. Rejects when the database can't be asked; then the rest waits for the next run. */
export async function endUsedUp(deps: {
  readonly database: Database;
  readonly publisher: Publisher;
  readonly appSchemes: AppSchemes;
}): Promise<number> {
  const found = await deps.database.execute(sql`
    SELECT links.id, links.workspace_id FROM link_caps JOIN links ON links.id = link_caps.link_id
    WHERE NOT published_used_up AND used >= max_clicks AND links.state <> 'deleted'
    LIMIT ${MAX_LINKS}`);
  for (const { id, workspace_id: workspaceId } of found.rows) {
    const linkId = String(id);
    // Nothing changes but the version: the record is compiled anew, and sees what was counted.
    await changeLink({ workspaceId: String(workspaceId), linkId }, {}, deps);
    await deps.database.execute(sql`
      UPDATE link_caps SET published_used_up = true WHERE link_id = ${linkId}::uuid AND used >= max_clicks`);
  }
  return found.rows.length;
}
