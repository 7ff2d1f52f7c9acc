/**
 * Faults that this repository once had, or that one of its lines is there to prevent, as the change of one line. Where the line is gone,
 * the fault is to be taken out or written anew: planting it fails.
 */
import type { WorkerName } from "../runtime/load-worker.ts";

export type PlantedFault = {
  readonly name: string;
  readonly find: string;
  readonly replace: string;
} & ({ readonly worker: WorkerName; readonly path: string } | { readonly dbFunction: string });

const ANNOUNCED = "workers/producer/src/find/feed/announced-changes.ts";
const ASK = "packages/edge-cache/src/ask-tiers.ts";
const CACHE = "packages/edge-cache/src/isolate-cache.ts";

export const PLANTED_FAULTS: readonly PlantedFault[] = [
  {
    name: "KV is believed although something newer was announced",
    worker: "producer",
    path: ASK,
    find: "announced.newerThan(key, readable?.version ?? 0)",
    replace: "announced.newerThan(key, 2 ** 50)",
  },
  {
    name: "an older record replaces a newer one in the isolate",
    worker: "producer",
    path: CACHE,
    find: "known.version > version",
    replace: "known.version > 2 ** 50",
  },
  {
    name: "a change is announced and not applied to what is held",
    worker: "producer",
    path: ANNOUNCED,
    find: "replaceHeld(cache, change);",
    replace: "void replaceHeld;",
  },
  {
    name: "a tombstone has no version",
    worker: "producer",
    path: "workers/producer/src/find/edge-record.ts",
    find: 'kind: "negative", version: value.version',
    replace: 'kind: "negative", version: 0',
  },
  {
    name: "the links of a deleted domain are kept",
    worker: "producer",
    path: ANNOUNCED,
    find: "cache.deleteWhere((held) => held.key.startsWith(prefix) && held.key !== key);",
    replace: "void prefix;",
  },
  {
    name: "a link of a deleted domain redirects",
    worker: "producer",
    path: "workers/producer/src/find/under-domain.ts",
    find: "domain !== undefined && domain.version > 0 ? null : record",
    replace: "record",
  },
  {
    name: "an outage is a 404",
    worker: "producer",
    path: ASK,
    find: "return rescue(key);\n        }\n        const judged",
    replace: "return keepAbsence(key, before.get(key));\n        }\n        const judged",
  },
  {
    name: "links are held for an hour",
    worker: "producer",
    path: CACHE,
    find: "FRESH_FOR_MS = 30_000",
    replace: "FRESH_FOR_MS = 3_600_000",
  },
  {
    name: "the data centre's copy of the feed is believed at any age",
    worker: "producer",
    path: "workers/producer/src/find/feed/feed-source.ts",
    find: 'path === "head" ? nowMs() - page.madeAtMs : 0',
    replace: "0",
  },
  {
    name: "the feed's head is made once",
    worker: "api",
    path: "workers/api/src/change-feed.ts",
    find: "this.#pages.outdate();",
    replace: "void 0;",
  },
  {
    name: "a record that KV did not take counts as published",
    worker: "api",
    path: "workers/api/src/publishing/publish-changes.ts",
    find: "failed.push({ change, error: nameOfError(error) });",
    replace: "done.push(change);",
  },
  {
    name: "no confirming write follows an edit",
    worker: "api",
    path: "workers/api/src/publishing/outbox.ts",
    find: "change.isFinal ? DONE : CONFIRM",
    replace: "DONE",
  },
  {
    name: "settling an older revision ends a newer one",
    worker: "api",
    path: "packages/db/src/work/settle-work.ts",
    find: "work.revision = item.revision AS is_current",
    replace: "true AS is_current",
  },
  {
    name: "a batch is acknowledged although the database was away",
    worker: "consumer",
    path: "workers/consumer/src/ingest/write-segments.ts",
    find: ": handBack(segmentsOf(parts), failure));",
    replace: ": undefined);",
  },
  {
    name: "a spilled segment is removed although it was not written",
    worker: "consumer",
    path: "workers/consumer/src/jobs/drain-spill.ts",
    find: "failed.has(segment) ? [] : [key]",
    replace: "[key]",
  },
  {
    name: "a gap is forgotten when the ledger is compacted",
    worker: "consumer",
    path: "packages/db/src/ledger/compact-ledger.ts",
    find: "max(GREATEST(first_sequence - expected, 0))",
    replace: "0::bigint",
  },
  {
    name: "a click that comes again counts in its link's total again",
    worker: "consumer",
    path: "packages/db/src/ingest/count-clicks.ts",
    find: "sum(clicks), max(last_clicked_at)\n    FROM fresh",
    replace:
      "sum(clicks) + (SELECT count(*) FROM segment WHERE is_known), max(last_clicked_at)\n    FROM fresh",
  },
  {
    name: "a segment whose request was cancelled is not sent again",
    worker: "producer",
    path: "workers/producer/src/clicks/click-buffer.ts",
    find: "if (nowMs - takenAtMs <= ABANDONED_AFTER_MS) {",
    replace: "if (takenAtMs > 0) {",
  },
  {
    name: "a segment gets new numbers when it is sent again",
    worker: "producer",
    path: "workers/producer/src/clicks/click-buffer.ts",
    find: "return segment;\n    }\n    return null;",
    replace: "return { ...segment, firstSequence: segment.firstSequence + 1_000 };\n    }\n    return null;",
  },
  {
    name: "a segment that no shard took is dropped",
    worker: "producer",
    path: "workers/producer/src/clicks/send-clicks.ts",
    find: "(await sendToShards(text, sends, deps)) || (await keepSealed(segment, text, spills, deps))",
    replace: "(await sendToShards(text, sends, deps)) || (void keepSealed, void spills, true)",
  },
  {
    name: "a use of a strict cap is taken twice",
    worker: "producer",
    path: "workers/producer/src/answer/cap-claims.ts",
    find: "stock.left -= 1;",
    replace: "stock.left -= stock.visits.count(nowMs()) > 1 ? 0 : 1;",
  },
  {
    name: "uses that are left are given back and kept",
    worker: "producer",
    path: "workers/producer/src/answer/cap-claims.ts",
    find: "stock.left = 0;",
    replace: "void 0;",
  },
  {
    name: "a message that its receiver refused counts as delivered",
    worker: "api",
    path: "workers/api/src/webhooks/send-message.ts",
    find: "isAccepted: error === null",
    replace: "isAccepted: true",
  },
  {
    name: "the next link at an address begins with version 1",
    dbFunction: "lock_address",
    find: "RETURN kept.version + 1;",
    replace: "RETURN 1;",
  },
  {
    name: "the tombstone of an address has the version of its last link",
    dbFunction: "end_addresses",
    find: "SET version = version + 1",
    replace: "SET version = version",
  },
];
