/**
 * Ends links whose click cap is reached: publishes a record that says so. Strict caps never let more pass; it spares them
 * the question. Fast ones end by it alone: from the click that reached the cap, its queue delay, this and the feed pass.
 */
import { sql } from "drizzle-orm";
import { changeLink, type ChangeLinkDeps, type LinkTarget } from "./change-link.ts";
import { ProblemError } from "../http/problem.ts";

/** Each takes a handful of statements; the next run takes the rest. */
const MAX_LINKS = 100;

/** How many links were ended. Rejects when the database can't be asked; then the rest waits for the next run. */
export async function endUsedUp(deps: ChangeLinkDeps): Promise<number> {
  const found = await deps.database.execute(sql`
    SELECT links.id, links.workspace_id, links.version FROM link_caps JOIN links ON links.id = link_caps.link_id
    WHERE NOT published_used_up AND used >= max_clicks AND links.state <> 'deleted'
    LIMIT ${MAX_LINKS}`);
  let ended = 0;
  for (const { id, workspace_id: workspaceId, version } of found.rows) {
    const linkId = String(id);
    const target = { workspaceId: String(workspaceId), linkId, ifMatch: [Number(version)] };
    if (!(await publishAnew(target, deps))) {
      continue;
    }
    ended += 1;
    await deps.database.execute(sql`
      UPDATE link_caps SET published_used_up = true WHERE link_id = ${linkId}::uuid AND used >= max_clicks`);
  }
  return ended;
}

/**
 * Nothing changes but the version: the record is compiled anew, and sees what was counted. False when somebody changed
 * the link meanwhile: that record has seen it too, and the next run looks whether it says so. Without this, every batch
 * of a busy link would end it once more.
 */
async function publishAnew(target: LinkTarget, deps: ChangeLinkDeps): Promise<boolean> {
  try {
    await changeLink(target, {}, deps);
    return true;
  } catch (error) {
    if (error instanceof ProblemError && error.code === "version_mismatch") {
      return false;
    }
    throw error;
  }
}
