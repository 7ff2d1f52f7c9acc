/** The database's part of the ports: for batches and jobs, and for a replay. */
import { insertBatch } from "@hopline/db/ingest/insert-clicks";
import { insertDeadLetter } from "@hopline/db/ingest/insert-dead-letters";
import type { RunSql } from "@hopline/db/neon-client";
import type { WriteDeps } from "./write-segments.ts";

export type AfterInsert = {
  /** Called after a batch that brought links to their caps. */
  readonly onUsedUp?: () => void;
  /** Called with the links of a batch of which clicks were new, once they are committed. */
  readonly onInserted?: (linkIds: readonly string[]) => void;
};

export function createStore(
  runSql: RunSql,
  timeoutMs: number,
  { onUsedUp, onInserted }: AfterInsert = {},
): Omit<WriteDeps, "seal" | "countReports"> {
  return {
    async insertClicks(batch) {
      const { inserted, usedUpLinks } = await insertBatch(runSql, batch, timeoutMs);
      if (usedUpLinks > 0) {
        onUsedUp?.();
      }
      if (inserted > 0) {
        onInserted?.([...new Set(batch.rows.map(({ linkId }) => linkId))]);
      }
      return inserted;
    },
    insertDeadLetter: (letter) => insertDeadLetter(runSql, letter, timeoutMs),
  };
}
