/**
 * What an analytics engine answers. A request becomes a list of parts (series, breakdowns, lists of clicks); an engine
 * answers all of them, so that the numbers of a screen agree. Every engine gives the same answers, to the last click.
 */
import type { Dimension, Filter } from "./dimension.ts";
import type { InstantRange } from "./range.ts";

/**
 * Which clicks. Filters hold stored values: UUIDs of links, lower-case hosts or UUIDs of domains, tags by name (a tag means the
 * links that have it now), `null` for unknown.
 */
export type Question = {
  readonly workspaceId: string;
  readonly range: InstantRange;
  readonly filters: readonly Filter[];
};

/**
 * `startsMs`: the starts of the buckets, ascending; the first at or before the range. A bucket ends where the next starts. Totals are
 * a series of one bucket.
 */
export type SeriesPart = {
  readonly kind: "series";
  readonly question: Question;
  readonly startsMs: readonly number[];
  readonly visitors: boolean;
};

export function totalsOf(question: Question, visitors: boolean): SeriesPart {
  return { kind: "series", question, startsMs: [question.range.fromMs], visitors };
}

/** The values with the most clicks; of equal ones the smaller text first. */
export type BreakdownPart = {
  readonly kind: "breakdown";
  readonly question: Question;
  readonly dimension: Dimension;
  readonly limit: number;
  /** Only values that contain this text (in the label, for links and domains), in any case. */
  readonly search?: string;
  readonly visitors?: boolean;
  /** Over time too: as in a series. */
  readonly startsMs?: readonly number[];
};

/** Newest first, by (time, event id). */
export type ClicksPart = {
  readonly kind: "clicks";
  readonly question: Question;
  /** Exclusive. */
  readonly after: { readonly atUs: string; readonly eventId: string } | null;
  readonly limit: number;
};

export type Part = SeriesPart | BreakdownPart | ClicksPart;

/**
 * `complete` is `false` if the numbers are too low or the list too short: because retention has removed clicks it needs; or, with
 * `completeUntilMs`, because from then on so many clicks are not pre-aggregated yet that counting them would take too long.
 */
export type Completeness = { readonly complete: boolean; readonly completeUntilMs: number | null };

/** Of an answer that is made of these. */
export function leastComplete(parts: readonly Completeness[]): Completeness {
  const ends = parts.flatMap(({ completeUntilMs }) => completeUntilMs ?? []);
  return {
    complete: parts.every(({ complete }) => complete),
    completeUntilMs: ends.length === 0 ? null : Math.min(...ends),
  };
}

/** `visitors` is `null` unless asked for. */
export type Counts = { readonly clicks: number; readonly visitors: number | null };

/** One point for each start. */
export type Series = Completeness & { readonly points: readonly Counts[] };

export function totalOf({ points: [total] }: Series): Counts {
  return total ?? { clicks: 0, visitors: null };
}

export type ValueCount = Counts & {
  /** A link's or domain's UUID; `null`: unknown. */
  readonly value: string | null;
  /** Host and slug of a link, host of a domain; otherwise `null`. */
  readonly label: string | null;
  /** Clicks by bucket, one for each start; none if it was not asked over time. */
  readonly points: readonly number[];
};

export type Breakdown = Completeness & {
  readonly values: readonly ValueCount[];
  /** Clicks of the values that are not listed. */
  readonly otherClicks: number;
  readonly otherValues: number;
  readonly otherPoints: readonly number[];
  /** All clicks, each once. */
  readonly totalClicks: number;
};

/** What the listed values leave of all points. */
export function subtractPoints(
  all: readonly number[],
  values: readonly Pick<ValueCount, "points">[],
): readonly number[] {
  return all.map((clicks, index) => values.reduce((rest, { points }) => rest - (points[index] ?? 0), clicks));
}

export type ListedClick = {
  readonly eventId: string;
  /** Epoch microseconds as text, because a page must start exactly after the previous one. */
  readonly atUs: string;
  /** By dimension; UUIDs for link and domain. Tags are not among them. */
  readonly values: ReadonlyMap<Dimension, string | null>;
};

export type ClickList = Completeness & { readonly clicks: readonly ListedClick[] };

export type AnswerOf<One extends Part> = One extends SeriesPart
  ? Series
  : One extends BreakdownPart
    ? Breakdown
    : ClickList;

export type AnswersOf<Parts extends readonly Part[]> = {
  readonly [Index in keyof Parts]: AnswerOf<Parts[Index]>;
};

export type Engine = {
  /**
   * The answers in the order of the parts, which are of one workspace. Rejects with `TooWideError` if there are too many clicks to be
   * counted in time, with `WrongEngineError` if another engine has them, otherwise as the database client does.
   */
  readonly answer: <const Parts extends readonly Part[]>(parts: Parts) => Promise<AnswersOf<Parts>>;
};

/** Clicks are counted elsewhere now: another engine has the answers. */
export class WrongEngineError extends Error {
  override readonly name = "WrongEngineError";
}

/** The question covers too many clicks to be answered in time. */
export class TooWideError extends Error {
  override readonly name = "TooWideError";
}
