/** The database's part of the ports: for batches and jobs, and for a replay. */
import { insertBatch } from "@hopline/db/ingest/insert-clicks";
import { insertDeadLetter } from "@hopline/db/ingest/insert-dead-letters";
import { insertEdgeReports } from "@hopline/db/ingest/insert-edge-reports";
import type { RunSql } from "@hopline/db/neon-client";
import type { WriteDeps } from "./write-segments.ts";

/** @param onUsedUp called after a batch that brought links to their caps. */
export function createStore(
  runSql: RunSql,
  timeoutMs: number,
  onUsedUp?: () => void,
): Omit<WriteDeps, "seal"> {
  return {
    async insertClicks(batch) {
      const { inserted, usedUpLinks } = await insertBatch(runSql, batch, timeoutMs);
      if (usedUpLinks > 0) {
        onUsedUp?.();
      }
      return inserted;
    },
    insertEdgeReports: (reports) => insertEdgeReports(runSql, reports, timeoutMs),
    insertDeadLetter: (letter) => insertDeadLetter(runSql, letter, timeoutMs),
  };
}
