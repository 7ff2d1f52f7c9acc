/** Which tags have other links than when all their days were last looked at. */
import type { RunSql } from "../neon-client.ts";
import type { WorkspaceTag } from "./summarise-tag.ts";

export type UncountedTagsOptions = { readonly limit: number; readonly timeoutMs: number };

// Those that wait for their first time come before those whose links change time and again.
const UNCOUNTED_TAGS = `
  SELECT workspace_id::text AS workspace_id, tag FROM tag_generations
  WHERE generation > counted_generation
  ORDER BY counted_generation, workspace_id, tag LIMIT $1::int`;

/** As `updateTagMemberships` and the day's job left them. Rejects as `RunSql` does. */
export async function findUncountedTags(
  runSql: RunSql,
  { limit, timeoutMs }: UncountedTagsOptions,
): Promise<readonly WorkspaceTag[]> {
  return (await runSql(UNCOUNTED_TAGS, [limit], timeoutMs)).map((row) => ({
    workspaceId: String(row["workspace_id"]),
    tag: String(row["tag"]),
  }));
}
