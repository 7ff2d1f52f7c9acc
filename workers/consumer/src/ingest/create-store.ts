/** The database's part of the ports: for batches and jobs, and for a replay. */
import { MAX_COUNTED_CLICKS } from "@hopline/clickhouse/store/count-in-clickhouse";
import { insertDeadLetter } from "@hopline/db/ingest/insert-dead-letters";
import { MAX_BATCH_CLICKS } from "@hopline/db/ingest/insert-clicks";
import { countBatch, type CountDeps } from "./count-clicks.ts";
import type { WriteDeps } from "./write-segments.ts";

export type AfterInsert = {
  /** Called after a batch that brought links to their caps. */
  readonly onUsedUp?: () => void;
  /** Called with the links of a batch of which clicks were new, once they are committed. */
  readonly onInserted?: (linkIds: readonly string[]) => void;
};

export function createStore(
  deps: CountDeps,
  { onUsedUp, onInserted }: AfterInsert = {},
): Omit<WriteDeps, "seal" | "countReports"> {
  return {
    async insertClicks(batch) {
      const { inserted, usedUpLinks } = await countBatch(batch, deps);
      if (usedUpLinks > 0) {
        onUsedUp?.();
      }
      if (inserted > 0) {
        onInserted?.([...new Set(batch.rows.map(({ linkId }) => linkId))]);
      }
      return inserted;
    },
    maxClicks: () => (deps.hint.mode === "clickhouse" ? MAX_COUNTED_CLICKS : MAX_BATCH_CLICKS),
    insertDeadLetter: (letter) => insertDeadLetter(deps.runSql, letter, deps.timeoutMs),
  };
}
