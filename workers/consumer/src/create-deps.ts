/** Ports made of settings: what the batches and the jobs of this Worker work with. */
import { insertBatch } from "@hopline/db/ingest/insert-clicks";
import { insertDeadLetter } from "@hopline/db/ingest/insert-dead-letters";
import { insertEdgeReports } from "@hopline/db/ingest/insert-edge-reports";
import type { RunSql } from "@hopline/db/neon-client";
import { openSealed, seal } from "@hopline/sealing/seal";
import { importSealKey } from "@hopline/sealing/seal-key";
import type { DrainDeps, SpillStore } from "./jobs/drain-spill.ts";
import { createEnrichment } from "./enrich/enrichment.ts";
import type { Log } from "./log.ts";

/** A batch may wait: nobody stands behind it. Past this the database is taken for absent. Milliseconds. */
const INSERT_TIMEOUT_MS = 15_000;

export type ConsumerSettings = {
  readonly runSql: RunSql;
  readonly spill: SpillStore;
  /** Base64 of 32 bytes. A wrong one loses nothing: what has to be sealed is tried again later. */
  readonly sealKey: string;
  /** Empty: clicks are stored without a visitor. */
  readonly visitorSecret: string;
  readonly log: Log;
  readonly insertTimeoutMs?: number;
  /** A batch brought links to their caps: whoever publishes should look now, and looks every minute anyway. */
  readonly onUsedUp?: () => void;
};

export function createDeps(settings: ConsumerSettings): DrainDeps {
  const { runSql, spill, sealKey, visitorSecret, log, insertTimeoutMs = INSERT_TIMEOUT_MS } = settings;
  let key: Promise<CryptoKey> | undefined;
  const useKey = (): Promise<CryptoKey> => (key ??= importSealKey(sealKey));
  return {
    async insertClicks(batch) {
      const { inserted, usedUpLinks } = await insertBatch(runSql, batch, insertTimeoutMs);
      if (usedUpLinks > 0) {
        settings.onUsedUp?.();
      }
      return inserted;
    },
    insertEdgeReports: (reports) => insertEdgeReports(runSql, reports, insertTimeoutMs),
    insertDeadLetter: (letter) => insertDeadLetter(runSql, letter, insertTimeoutMs),
    seal: async (text) => seal(text, await useKey()),
    open: async (text) => {
      const opened = await openSealed(text, await useKey());
      return opened.ok ? opened.value : null;
    },
    spill,
    ...createEnrichment(visitorSecret),
    nowMs: Date.now,
    random: Math.random,
    log,
  };
}
