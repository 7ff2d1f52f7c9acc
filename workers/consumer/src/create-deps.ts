/** Makes the ports of batches and jobs from settings. */
import type { ClickHouse } from "@hopline/clickhouse/clickhouse-client";
import { insertEdgeReports } from "@hopline/db/ingest/insert-edge-reports";
import type { RunSql } from "@hopline/db/neon-client";
import { openSealed, seal } from "@hopline/sealing/seal";
import { importSealKey, importSealKeys } from "@hopline/sealing/seal-key";
import { createEnrichment } from "./enrich/enrichment.ts";
import { createCountReports, type HeldReports, REPORTS_EVERY_MS } from "./ingest/count-reports.ts";
import type { CountingHint } from "./ingest/count-clicks.ts";
import { type AfterInsert, createStore } from "./ingest/create-store.ts";
import type { DrainDeps, SpillStore } from "./jobs/drain-spill.ts";
import type { Log } from "./log.ts";

/** A batch can wait, no visitor does. After this the database counts as unavailable. Milliseconds. */
const INSERT_TIMEOUT_MS = 15_000;

export type ConsumerSettings = AfterInsert & {
  readonly runSql: RunSql;
  readonly spill: SpillStore;
  readonly heldReports: HeldReports;
  /** `null`: there is none. */
  readonly clickHouse: ClickHouse | null;
  readonly countingHint: CountingHint;
  /** Base64 of 32 bytes. A wrong one loses nothing: what has to be sealed is retried later. */
  readonly sealKey: string;
  /** The key before `sealKey`, as long as something sealed with it may be around. Empty: none. */
  readonly oldSealKey?: string;
  /** Empty: clicks are stored without a visitor. */
  readonly visitorSecret: string;
  readonly log: Log;
};

export function createDeps(settings: ConsumerSettings): DrainDeps {
  const { runSql, clickHouse, spill, sealKey, oldSealKey, visitorSecret, log } = settings;
  const sealingKey = once(() => importSealKey(sealKey));
  const openingKeys = once(() => importSealKeys(sealKey, oldSealKey));
  return {
    ...createStore(
      { runSql, clickHouse, hint: settings.countingHint, timeoutMs: INSERT_TIMEOUT_MS, nowMs: Date.now },
      settings,
    ),
    ...createEnrichment(visitorSecret),
    countReports: createCountReports({
      held: settings.heldReports,
      everyMs: REPORTS_EVERY_MS,
      insertEdgeReports: (reports) => insertEdgeReports(runSql, reports, INSERT_TIMEOUT_MS),
      nowMs: Date.now,
      log,
    }),
    seal: async (text) => seal(text, await sealingKey()),
    open: async (text) => {
      const opened = await openSealed(text, ...(await openingKeys()));
      return opened.ok ? opened.value : null;
    },
    spill,
    nowMs: Date.now,
    random: Math.random,
    log,
  };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}
