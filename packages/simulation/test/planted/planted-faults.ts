/**
 * Faults that this repository once had, or that one of its lines is there to prevent, as the change of one line. Where the line is gone,
 * the fault is to be taken out or written anew: planting it fails.
 */
import type { WorkerName } from "../../src/runtime/load-worker.ts";

export type PlantedFault = {
  readonly name: string;
  readonly find: string;
  readonly replace: string;
  /** What a life has to have to show it: see `has` of plant-faults.ts. */
  readonly needs: readonly string[];
} & ({ readonly worker: WorkerName; readonly path: string } | { readonly dbFunction: string });

/** Name, what is found, what it becomes, and what a life needs. */
type Change = readonly [name: string, find: string, replace: string, ...needs: readonly string[]];

const toFault = ([name, find, replace, ...needs]: Change) => ({ name, find, replace, needs });
const inWorker = (worker: WorkerName, path: string, ...changes: readonly Change[]): readonly PlantedFault[] =>
  changes.map((change) => ({ ...toFault(change), worker, path }));
const inDatabase = (dbFunction: string, change: Change): PlantedFault => ({ ...toFault(change), dbFunction });

export const PLANTED_FAULTS: readonly PlantedFault[] = [
  ...inWorker(
    "producer",
    "packages/edge-cache/src/ask-tiers.ts",
    ["KV is believed although something newer was announced", "readable?.version ?? 0", "2 ** 50"],
    [
      "an outage is a 404",
      "return rescue(key);\n        }\n        const judgeText",
      "return keepAbsence(key, before.get(key));\n        }\n        const judgeText",
      "kv.read-fails",
      "database.down",
    ],
  ),
  ...inWorker(
    "producer",
    "packages/edge-cache/src/isolate-cache.ts",
    [
      "an older record replaces a newer one in the isolate",
      "known.version > version",
      "false",
      "feed.down",
      "kv.read-fails",
    ],
    ["links are held for an hour", "FRESH_FOR_MS = 30_000", "FRESH_FOR_MS = 3_600_000", "feed.down"],
  ),
  ...inWorker(
    "producer",
    "workers/producer/src/find/feed/apply-changes.ts",
    [
      "a change is announced and not applied to what is held",
      "replaceHeld({ cache, announced }, change)",
      "null",
    ],
    [
      "the links of a deleted domain are kept",
      "&& of !== key",
      '&& key === ""',
      "remove-domain",
      "file",
      "kv.read-fails",
      "database.down",
    ],
  ),
  ...inWorker("producer", "workers/producer/src/find/edge-record.ts", [
    "a tombstone has no version",
    'kind: "negative", version: value.version',
    'kind: "negative", version: 0',
    "delete",
  ]),
  ...inWorker("producer", "workers/producer/src/find/apply-domain.ts", [
    "a link of a deleted domain redirects",
    "domain !== undefined && domain.version > 0 ? null : record",
    "record",
    "remove-domain",
    "file",
  ]),
  ...inWorker("producer", "workers/producer/src/find/feed/feed-source.ts", [
    "the data centre's copy of the feed is believed at any age",
    'path === "head" ? Math.abs(nowMs() - page.madeAtMs) : 0',
    "0",
  ]),
  ...inWorker("api", "workers/api/src/change-feed.ts", [
    "the feed's head is made once",
    "this.#pages.outdate();",
    "void 0;",
  ]),
  ...inWorker(
    "api",
    "workers/api/src/publishing/publish-changes.ts",
    [
      "a record that KV did not take counts as published",
      "failed.push({",
      "done.push(change), ({",
      "kv.write-refused",
    ],
    ["an edit that overtook another is not published", "await enqueueOvertaken(", "void (", "file"],
  ),
  ...inWorker(
    "api",
    "workers/api/src/publishing/outbox.ts",
    ["no confirming write follows an edit", "change.isFinal ? DONE : CONFIRM", "DONE", "kv.write-hangs"],
    [
      "a host is free while KV may have copies",
      "KV_LAGS_FOR_SECONDS = 120",
      "KV_LAGS_FOR_SECONDS = 0",
      "take-domain",
    ],
  ),
  ...inWorker("api", "packages/db/src/work/settle-work.ts", [
    "settling an older revision ends a newer one",
    "work.revision = item.revision AS is_current",
    "true AS is_current",
    "kv.write-refused",
  ]),
  ...inWorker("consumer", "workers/consumer/src/ingest/write-segments.ts", [
    "a batch is acknowledged although the database was away",
    ": handBack(segmentsOf(parts), failure));",
    ": undefined);",
    "database.down",
  ]),
  ...inWorker("consumer", "packages/clickhouse/src/store/count-in-clickhouse.ts", [
    "clicks count although ClickHouse did not take them",
    "toLines(owned), timeoutMs);",
    "toLines(owned), timeoutMs).catch(() => undefined);",
    "clickhouse",
    "clickhouse.down",
  ]),
  ...inWorker("consumer", "workers/consumer/src/jobs/drain-spill.ts", [
    "a spilled segment is removed although it was not written",
    "failed.has(segment) ? [] : [key]",
    "[key]",
    "queue.refuses",
    "database.down",
  ]),
  ...inWorker("consumer", "packages/db/src/ledger/compact-ledger.ts", [
    "a gap is forgotten when the ledger is compacted",
    "max(GREATEST(first_sequence - expected, 0))",
    "0::bigint",
    "evict",
    "nights",
  ]),
  ...inWorker("consumer", "packages/db/src/ingest/count-clicks.ts", [
    "a click that comes again counts in its link's total again",
    "sum(clicks), max(last_clicked_at)\n    FROM fresh",
    "sum(clicks) + (SELECT count(*) FROM segment WHERE is_known), max(last_clicked_at)\n    FROM fresh",
  ]),
  ...inWorker(
    "producer",
    "workers/producer/src/clicks/click-buffer.ts",
    [
      "a segment whose request was cancelled is not sent again",
      "<= ABANDONED_AFTER_MS",
      "<= Infinity",
      "is-cut",
    ],
    [
      "a segment gets new numbers when it is sent again",
      "return segment;\n    }\n    return null;",
      "return { ...segment, firstSequence: segment.firstSequence + 1_000 };\n    }\n    return null;",
      "is-cut",
    ],
  ),
  ...inWorker("producer", "workers/producer/src/clicks/send-clicks.ts", [
    "a segment that no shard took is dropped",
    "(await sendToShards(text, sends, deps)) || (await keepSealed(segment, text, spills, deps))",
    "(await sendToShards(text, sends, deps)) || (void keepSealed, void spills, true)",
    "queue.refuses",
  ]),
  ...inWorker(
    "producer",
    "workers/producer/src/answer/cap-claims.ts",
    [
      "a use of a strict cap is taken twice",
      "stock.left -= 1;",
      "stock.left -= stock.visits.count(nowMs()) > 1 ? 0 : 1;",
    ],
    ["uses that are left are given back and kept", "stock.left = 0;", "void 0;", "rush"],
  ),
  ...inWorker("api", "workers/api/src/webhooks/send-message.ts", [
    "a message that its receiver refused counts as delivered",
    "isAccepted: error === null",
    "isAccepted: true",
    "add-webhook",
  ]),
  ...inWorker(
    "api",
    "workers/api/src/http/authenticate.ts",
    ["a revoked key is good", "'hex') AND revoked_at IS NULL", "'hex')", "lend-key"],
    [
      "a key may do what its scopes do not name",
      "else if (!hasScope(",
      "else if (0 && !hasScope(",
      "lend-key",
    ],
    ["the key of a member does what their role was", 'parseRole(row["maker_role"])', "null", "employ"],
    [
      "a member does what their role was before",
      "!isAtLeast(role, leastRole)",
      "leastRole.length === 0",
      "employ",
    ],
  ),
  ...inWorker("producer", "workers/producer/src/answer/password/answer-locked.ts", [
    "a link with a password redirects without it",
    "return answer(isUnlocked);",
    "return answer(true);",
    "lock",
  ]),
  ...inWorker("producer", "packages/edge-cache/src/load-through.ts", [
    "an absence from before a link came is kept",
    "announced.arrivals(key) !== arrivals",
    "arrivals < 0",
  ]),
  ...inWorker("producer", "packages/core/src/rules/evaluate/evaluate.ts", [
    "a split leads to the link's own destination",
    "variant?.url ?? link.url",
    "link.url",
    "split",
  ]),
  ...inWorker("api", "workers/api/src/links/end-used-up.ts", [
    "a link with a fast cap goes on when it is used up",
    "isUsedUp: true",
    "isUsedUp: false",
    "create-counted",
  ]),
  inDatabase("lock_address", [
    "the next link at an address begins with version 1",
    "RETURN kept.version + 1;",
    "RETURN 1;",
    "release",
  ]),
  inDatabase("place_link", [
    "the tombstone of an address has the version of its last link",
    "NEW.version := greatest(NEW.version, OLD.version + 1);",
    "NEW.version := OLD.version;",
    "release",
  ]),
];
