/**
 * Ends links that have reached their click cap, by publishing a record that says so. A strict cap never lets more clicks
 * through; this saves it the look-up. A fast cap ends only with this: after the queue delay of the click that reached it, this
 * run and the feed's delay.
 */
import { sql } from "drizzle-orm";
import { changeLink, type ChangeLinkDeps, type LinkTarget } from "./change-link.ts";
import { type ProblemCode, ProblemError } from "../http/problem.ts";

/** Each costs a few statements; the next run continues. */
const MAX_LINKS = 100;

/** How many links were ended. Rejects when the database can't be reached; the next run continues. */
export async function endUsedUp(deps: ChangeLinkDeps): Promise<number> {
  const found = await deps.database.execute(sql`
    SELECT links.id, links.workspace_id, links.version FROM link_caps JOIN links ON links.id = link_caps.link_id
    WHERE NOT published_used_up AND used >= max_clicks AND links.state <> 'deleted'
    LIMIT ${MAX_LINKS}`);
  let ended = 0;
  for (const { id, workspace_id: workspaceId, version } of found.rows) {
    const linkId = String(id);
    const target = { workspaceId: String(workspaceId), linkId, ifMatch: [Number(version)] };
    if (!(await publishAgain(target, deps))) {
      continue;
    }
    ended += 1;
    await deps.database.execute(sql`
      UPDATE link_caps SET published_used_up = true WHERE link_id = ${linkId}::uuid AND used >= max_clicks`);
  }
  return ended;
}

/** It was changed meanwhile; or its domain has lost its proof, and it leads nowhere anyway. */
const NOT_NOW: ReadonlySet<string> = new Set<ProblemCode>(["version_mismatch", "domain_pending"]);

/**
 * Changes only the version: the record is compiled again, with the current count. False when the link was changed in the
 * meantime: that record has the count too, and the next run checks it. Otherwise every batch of a busy link would end it
 * again.
 */
async function publishAgain(target: LinkTarget, deps: ChangeLinkDeps): Promise<boolean> {
  try {
    await changeLink(target, {}, deps);
    return true;
  } catch (error) {
    if (error instanceof ProblemError && NOT_NOW.has(error.code)) {
      return false;
    }
    throw error;
  }
}
