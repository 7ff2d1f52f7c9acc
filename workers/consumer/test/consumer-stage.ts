/** Fakes for the consumer's ports, and messages that remember how they were settled. */
import { encodeSegment, type Segment } from "@hopline/core/click/segment";
import type { Click } from "@hopline/core/click/click";
import { type ClickBatch, MAX_BATCH_CLICKS } from "@hopline/db/ingest/insert-clicks";
import type { EdgeReportRow } from "@hopline/db/ingest/insert-edge-reports";
import type { DeadLetter } from "@hopline/db/ingest/insert-dead-letters";
import { createEnrichment } from "../src/enrich/enrichment.ts";
import type { DrainDeps } from "../src/jobs/drain-spill.ts";
import type { LogEvent } from "../src/log.ts";
import { type CountReportsDeps, createCountReports, REPORTS_EVERY_MS } from "../src/ingest/count-reports.ts";
import type { SettledMessage } from "../src/ingest/retry-later.ts";
import { aClick as aCoreClick } from "../../../packages/core/test/click/a-click.ts";

export { USER_AGENT as FIREFOX } from "../../../packages/core/test/click/a-click.ts";

export const T0 = Date.UTC(2026, 10, 21, 12, 0, 0);

export function aClick(change: Partial<Click> = {}): Click {
  const referrer = "https://news.example.org/today?id=7";
  return aCoreClick({ clickedAtMs: T0, linkVersion: 7, referrer, botScore: 97, ...change });
}

/** Clicks of isolate 00c0ffee00000001 from number `first`. */
export function aSegment(
  first: number,
  count: number,
  change: (index: number) => Partial<Click> = () => ({}),
): Segment {
  const clicks = Array.from({ length: count }, (_, index) =>
    aClick({ clickedAtMs: T0 + index, ...change(index) }),
  );
  return { isolateId: "00c0ffee00000001", firstSequence: first, clicks };
}

export type RecordedMessage = SettledMessage & { settled: "ack" | { retryAfterSeconds: number } | "never" };

export function aMessage(body: unknown, { id = "m", attempts = 1 } = {}): RecordedMessage {
  const message: RecordedMessage = {
    id,
    body,
    attempts,
    settled: "never",
    ack: () => {
      message.settled = "ack";
    },
    retry: ({ delaySeconds }) => {
      message.settled = { retryAfterSeconds: delaySeconds };
    },
  };
  return message;
}

export function segmentMessage(first: number, count: number, attempts = 1): RecordedMessage {
  return aMessage(encodeSegment(aSegment(first, count)), { id: `m${first}`, attempts });
}

/** The error of the Neon driver for an answer of the server. */
export function databaseError(code: string): Error {
  return Object.assign(new Error("refused"), { code });
}

type Change = Partial<DrainDeps> & Partial<Pick<CountReportsDeps, "insertEdgeReports">>;

export function aStage(change: Change = {}) {
  const batches: ClickBatch[] = [];
  const letters: DeadLetter[] = [];
  const reports: EdgeReportRow[] = [];
  const log: LogEvent[] = [];
  const spilled = new Map<string, string>();
  const deps: DrainDeps = {
    insertClicks: (batch) => {
      batches.push(batch);
      return Promise.resolve(batch.rows.length);
    },
    maxClicks: () => MAX_BATCH_CLICKS,
    countReports: (rows, isOutage) => countReports(rows, isOutage),
    insertDeadLetter: (letter) => {
      letters.push(letter);
      return Promise.resolve(true);
    },
    seal: (text) => Promise.resolve(`sealed(${text})`),
    open: (sealed) => Promise.resolve(/^sealed\((.*)\)$/s.exec(sealed)?.[1] ?? null),
    spill: {
      list: (limit) => Promise.resolve([...spilled.keys()].toSorted().slice(0, limit)),
      read: (keys) =>
        Promise.resolve(
          new Map(
            keys.flatMap((key) => {
              const sealed = spilled.get(key);
              return sealed === undefined ? [] : [[key, sealed]];
            }),
          ),
        ),
      remove: (key) => Promise.resolve(void spilled.delete(key)),
    },
    ...createEnrichment("a secret of at least thirty-two bytes"),
    nowMs: () => T0 + 5_000,
    random: () => 0.5,
    log: (event) => log.push(event),
    ...change,
  };
  const countReports = createCountReports({
    held: { rows: [], nextAtMs: 0 },
    everyMs: REPORTS_EVERY_MS,
    insertEdgeReports: (rows) => {
      reports.push(...rows);
      return Promise.resolve();
    },
    nowMs: () => deps.nowMs(),
    log: deps.log,
    ...change,
  });
  return { deps, batches, letters, reports, log, spilled };
}
