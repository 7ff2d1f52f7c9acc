/**
 * What an isolate has answered since its last report: the producer cannot be asked for metrics, so its counts travel
 * with the clicks. Part of a segment (segment.ts), field `r`; golden file: test/golden/segment-report.v1.json. An old
 * reader passes over it, and a report that cannot be read costs no click.
 *
 * On the wire a cell is a number made of positions in these lists, so a list that grows is a new format of reports:
 * another letter beside `r`, and a reader for both.
 */
import { decodeMisses, type MissedVisits } from "./missed-visits.ts";

/** Which tier an answer came from; `none`: no tier was asked, or none could say. */
export const ANSWER_TIERS = ["isolate", "stale", "negative", "kv", "db", "none"] as const;
export type ReportedTier = (typeof ANSWER_TIERS)[number];

/** By status: a fallback of a domain is a `redirect`, and `page` is whatever else was answered with 200. */
export const ANSWER_OUTCOMES = [
  "redirect",
  "page",
  "locked",
  "not_found",
  "gone",
  "refused",
  "unavailable",
  "error",
] as const;
export type AnswerOutcome = (typeof ANSWER_OUTCOMES)[number];

/** Upper bounds of the buckets of durations, in milliseconds, inclusive; above the last there is one more bucket. */
export const DURATION_BOUNDS_MS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500] as const;
export const DURATION_BUCKETS: number = DURATION_BOUNDS_MS.length + 1;

/** The most cells in a report: 2 KB of text, which fits beside 60 KB of clicks. What is left goes with the next. */
export const MAX_REPORT_CELLS = 60;

/** Answers of one tier, outcome and bucket of durations: a cell of `ANSWER_CELLS`, which `nameCell` names. */
export type AnswerCell = {
  readonly cell: number;
  readonly answers: number;
  /** Their durations together, milliseconds. */
  readonly totalMs: number;
};

export const ANSWER_CELLS: number = ANSWER_TIERS.length * ANSWER_OUTCOMES.length * DURATION_BUCKETS;

/**
 * What else an isolate says of itself, in this order on the wire. `entries`, `bytes` and `buffered` (clicks that no queue has
 * accepted yet) are as of now; the rest is counted since the last report: what left the cache for others (`evictions`), what
 * was not let in or was never asked for again (`refused`), keys that KV and the database were asked for, and look-ups that were
 * made because the tier above was slow (`hedged`). A list that grows is read by older readers as none.
 */
export const EDGE_FACTS = [
  "entries",
  "bytes",
  "buffered",
  "evictions",
  "refused",
  "kv",
  "db",
  "hedged",
] as const;
export type EdgeFacts = { readonly [name in (typeof EDGE_FACTS)[number]]: number };

export type EdgeReport = {
  /** Numbers the reports of an isolate from 1: a report that arrives twice counts once. */
  readonly number: number;
  /** IATA code of the data centre; `null` where the clicks beside it say it, or it is not known. */
  readonly colo: string | null;
  /** How old the isolate's knowledge of the change feed was; `null` where it has none. */
  readonly feedAgeMs: number | null;
  /** How often since the last report it missed changes, so that all it held was loaded again. */
  readonly feedGaps: number;
  /** `null`: it does not say. */
  readonly facts: EdgeFacts | null;
  readonly cells: readonly AnswerCell[];
  /** Absent: none. */
  readonly misses?: readonly MissedVisits[];
};

const OUTCOMES: { readonly [status: number]: AnswerOutcome } = {
  200: "page",
  401: "locked",
  403: "locked",
  404: "not_found",
  410: "gone",
  503: "unavailable",
};

export function outcomeOfStatus(status: number): AnswerOutcome {
  return status >= 300 && status < 400
    ? "redirect"
    : (OUTCOMES[status] ?? (status < 500 ? "refused" : "error"));
}

export function durationBucketOf(durationMs: number): number {
  const bucket = DURATION_BOUNDS_MS.findIndex((boundMs) => durationMs <= boundMs);
  return bucket === -1 ? DURATION_BOUNDS_MS.length : bucket;
}

export function cellOf(tier: ReportedTier, status: number, durationMs: number): number {
  const row = ANSWER_TIERS.indexOf(tier) * ANSWER_OUTCOMES.length;
  return (
    (row + ANSWER_OUTCOMES.indexOf(outcomeOfStatus(status))) * DURATION_BUCKETS + durationBucketOf(durationMs)
  );
}

export type CellName = {
  readonly tier: ReportedTier;
  readonly outcome: AnswerOutcome;
  /** Index of the bucket of durations, from 0. */
  readonly bucket: number;
};

/** `null` for a number that is no cell. */
export function nameCell(cell: number): CellName | null {
  const row = Math.floor(cell / DURATION_BUCKETS);
  const tier = ANSWER_TIERS[Math.floor(row / ANSWER_OUTCOMES.length)];
  const outcome = ANSWER_OUTCOMES[row % ANSWER_OUTCOMES.length];
  return tier === undefined || outcome === undefined
    ? null
    : { tier, outcome, bucket: cell % DURATION_BUCKETS };
}

export function toWireReport(report: EdgeReport): object {
  const { number, colo, feedAgeMs, feedGaps, facts, cells, misses } = report;
  return {
    n: number,
    c: colo ?? undefined,
    f: feedAgeMs ?? undefined,
    g: feedGaps === 0 ? undefined : feedGaps,
    e: facts === null ? undefined : EDGE_FACTS.map((name) => facts[name]),
    a: cells.map(({ cell, answers, totalMs }) => [cell, answers, totalMs]),
    m: misses,
  };
}

/** Reads a report, whatever is there. `undefined`: there is none that can be read. Never throws. */
export function decodeReport(wire: unknown): EdgeReport | undefined {
  if (typeof wire !== "object" || wire === null) {
    return undefined;
  }
  const { n, c, f, g, e, a, m }: { readonly [field in "n" | "c" | "f" | "g" | "e" | "a" | "m"]?: unknown } =
    wire;
  if (!isCount(n) || n < 1 || !Array.isArray(a) || a.length > MAX_REPORT_CELLS) {
    return undefined;
  }
  const cells = a.map(decodeCell);
  const feed = { feedAgeMs: isCount(f) ? f : null, feedGaps: isCount(g) ? g : 0 };
  const misses = decodeMisses(m, isCount);
  const more = misses.length === 0 ? {} : { misses };
  return cells.every((cell) => cell !== null)
    ? { number: n, colo: toColo(c), ...feed, facts: decodeFacts(e), cells, ...more }
    : undefined;
}

function decodeFacts(wire: unknown): EdgeFacts | null {
  const counts: readonly unknown[] = Array.isArray(wire) ? wire : [];
  const [entries, bytes, buffered, evictions, refused, kv, db, hedged] = counts.filter(isCount);
  return counts.length === EDGE_FACTS.length &&
    entries !== undefined &&
    bytes !== undefined &&
    buffered !== undefined &&
    evictions !== undefined &&
    refused !== undefined &&
    kv !== undefined &&
    db !== undefined &&
    hedged !== undefined
    ? { entries, bytes, buffered, evictions, refused, kv, db, hedged }
    : null;
}

/** A label of metrics must not grow without bound: three capital letters, or not known. */
export function toColo(value: unknown): string | null {
  return typeof value === "string" && /^[A-Z]{3}$/.test(value) ? value : null;
}

function decodeCell(item: unknown): AnswerCell | null {
  const [cell, answers, totalMs]: readonly unknown[] = Array.isArray(item) ? item : [];
  return isCount(cell) && cell < ANSWER_CELLS && isCount(answers) && isCount(totalMs)
    ? { cell, answers, totalMs }
    : null;
}

/** Above this nothing is a count of ours, and sums would leave what a bigint holds. */
const MAX_COUNT = 1_099_511_627_776;

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_COUNT;
}
