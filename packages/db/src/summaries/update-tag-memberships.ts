/** Records which links have which tags, for all tags of workspaces whose days are pre-aggregated (migrations/0018). */
import type { RunTransaction } from "../neon-client.ts";
import { SUMMARY_SETTINGS } from "./summarise-period.ts";
import { beginGenerations } from "./tag-generations.ts";

const MEMBERSHIPS = beginGenerations({
  isWanted: "workspace_id IN (SELECT workspace_id FROM summary_periods WHERE with_tags)",
});

/** `findUncountedTags` then finds the tags whose links changed. Rejects as `RunSql` does, with nothing changed. */
export async function updateTagMemberships(runTransaction: RunTransaction, timeoutMs: number): Promise<void> {
  await runTransaction(
    [...SUMMARY_SETTINGS, MEMBERSHIPS].map((text) => ({ text, parameters: [] })),
    timeoutMs,
  );
}
