/** Finds tags whose links changed since all of their days were made. */
import type { RunSql } from "../neon-client.ts";
import type { WorkspaceTag } from "./summarise-tag.ts";

export type UncountedTagsOptions = { readonly limit: number; readonly timeoutMs: number };

// Tags that were never made come before tags whose links change often.
const UNCOUNTED_TAGS = `
  SELECT workspace_id::text AS workspace_id, tag FROM tag_generations
  WHERE generation > counted_generation
  ORDER BY counted_generation, workspace_id, tag LIMIT $1::int`;

/** As of the last `updateTagMemberships` and the day's job. Rejects as `RunSql` does. */
export async function findUncountedTags(
  runSql: RunSql,
  { limit, timeoutMs }: UncountedTagsOptions,
): Promise<readonly WorkspaceTag[]> {
  return (await runSql(UNCOUNTED_TAGS, [limit], timeoutMs)).map((row) => ({
    workspaceId: String(row["workspace_id"]),
    tag: String(row["tag"]),
  }));
}
