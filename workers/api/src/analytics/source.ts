/**
 * The tables from which clicks can be counted, and the dimensions of each. Counts from any of them are exact: rollups are written
 * by the statement that writes the events, and only those periods of summaries are read that contain every click
 * (migrations/0014).
 */
import { ROLLED_DIMENSIONS } from "@hopline/db/summaries/rolled-dimensions";
import { columnOf, type Dimension, type Filter } from "@hopline/analytics/dimension";

const QUARTER_HOUR_MS = 900_000;
const DAY_MS = 86_400_000;

/** Always complete. */
export type CompleteName = "workspaceRollup" | "linkRollup" | "events";
/** Available for some periods; others are read from a complete source. */
export type SummaryName = "dimensionDays" | "dimensionQuarters" | "linkDays" | "linkQuarters" | "scopeDays";

export type Source =
  | { readonly kind: "complete"; readonly name: CompleteName; readonly grainMs: number }
  | SummarySource
  /** Summaries of selected links and their events, link by link. */
  | { readonly kind: "linkSet"; readonly grainMs: number; readonly member: LinkMember }
  /** Summaries of a tag, corrected for its current links. */
  | { readonly kind: "tag"; readonly grainMs: number; readonly tag: TagScope };

export type SummarySource = {
  readonly kind: "summary";
  readonly name: SummaryName;
  /** Ranges that start and end on multiples of this (since the epoch, UTC) are whole rows. */
  readonly grainMs: number;
  /** The source for periods without summaries. */
  readonly otherwise: CompleteName;
};

/** The dimensions of a link's rollups besides the link. */
export type LinkMember = Exclude<Dimension, "tag">;

/** What a statement needs from its source. */
export type Needs = {
  readonly filters: readonly Filter[];
  /** Grouped by. */
  readonly dimension?: Dimension | undefined;
  readonly visitors: boolean;
  /** Whether the time of a click within the range matters. */
  readonly instants: boolean;
};

const EVENTS: Source = { kind: "complete", name: "events", grainMs: 1 };
const WORKSPACE_ROLLUP: Source = { kind: "complete", name: "workspaceRollup", grainMs: QUARTER_HOUR_MS };
const LINK_DAYS: SummarySource = {
  kind: "summary",
  name: "linkDays",
  grainMs: DAY_MS,
  otherwise: "linkRollup",
};
const LINK_QUARTERS: Source = {
  kind: "summary",
  name: "linkQuarters",
  grainMs: QUARTER_HOUR_MS,
  otherwise: "linkRollup",
};
const DIMENSION_DAYS: Source = {
  kind: "summary",
  name: "dimensionDays",
  grainMs: DAY_MS,
  otherwise: "events",
};
const DIMENSION_QUARTERS: Source = {
  kind: "summary",
  name: "dimensionQuarters",
  grainMs: QUARTER_HOUR_MS,
  otherwise: "events",
};
const SCOPE_DAYS: Source = { kind: "summary", name: "scopeDays", grainMs: DAY_MS, otherwise: "events" };
const ALWAYS_KEPT: readonly Dimension[] = ["domain", "class"];

/** The sources that can answer, cheapest first; last the events, which can answer anything. */
export function chooseSources(needs: Needs): readonly Source[] {
  const special = specialDimensions(needs);
  if (needs.visitors) {
    return [EVENTS];
  }
  if (special.length === 0) {
    return [WORKSPACE_ROLLUP, EVENTS];
  }
  const tag = tagScopeOf(needs);
  if (tag !== undefined) {
    return tagSources(tag);
  }
  if (special.every(isOfLinks)) {
    return [LINK_DAYS, LINK_QUARTERS, EVENTS];
  }
  if (special.length === 1 && special.every(isRolled)) {
    return [DIMENSION_DAYS, DIMENSION_QUARTERS, EVENTS];
  }
  if (scopeOf(needs) !== undefined) {
    return [SCOPE_DAYS, EVENTS];
  }
  const member = linkSetMemberOf(needs);
  return member === undefined ? [EVENTS] : [{ kind: "linkSet", grainMs: DAY_MS, member }, EVENTS];
}

function tagSources(tag: TagScope): readonly Source[] {
  if (tag.member === "quarter") {
    return [{ kind: "tag", grainMs: QUARTER_HOUR_MS, tag }, EVENTS];
  }
  const days: Source = { kind: "tag", grainMs: DAY_MS, tag };
  return tag.member === "link" ? [days, LINK_QUARTERS, EVENTS] : [days, EVENTS];
}

/** The one dimension to read from dimension_summaries. */
export function rolledDimensionOf(needs: Needs): Exclude<Dimension, "tag"> {
  const [dimension] = specialDimensions(needs).filter(isRolled);
  if (dimension === undefined) {
    throw new Error("invariant: dimension_summaries is read for one of its dimensions");
  }
  return dimension;
}

export type Scope = {
  /** The dimension with one selected value. */
  readonly dimension: (typeof SCOPE_DIMENSIONS)[number];
  readonly value: string;
  /** The dimension within it; for `tag` the link. */
  readonly member: Exclude<Dimension, "tag">;
};

/** The SUMMARY_SCOPES, likely smallest first. */
const SCOPE_DIMENSIONS = [
  "link",
  "referrer",
  "country",
  "browser",
  "os",
  "device",
] as const satisfies Dimension[];

/** For one selected value of such a dimension, and one further dimension. */
export function scopeOf(needs: Needs): Scope | undefined {
  const special = specialDimensions(needs);
  for (const dimension of SCOPE_DIMENSIONS) {
    const filter = needs.filters.find((one) => one.dimension === dimension);
    const [value] = filter?.is ?? [];
    const isOne = filter?.is.length === 1 && filter.isNot.length === 0 && typeof value === "string";
    const [member, ...more] = special.filter((one) => one !== dimension);
    if (isOne && special.includes(dimension) && member !== undefined && more.length === 0) {
      if (dimension !== "link" && isOfLinks(member)) {
        return { dimension, value, member: "link" };
      }
      if (isRolled(member)) {
        return { dimension, value, member };
      }
    }
  }
  return undefined;
}

/** Whether links are compared by the text of their ids: within a value or a tag they are stored as text, and parsing it takes time. */
export function isLinkText(needs: Needs): boolean {
  if (needs.dimension === undefined || !isOfLinks(needs.dimension)) {
    return false;
  }
  const [source] = chooseSources(needs);
  return source?.kind === "tag"
    ? source.tag.member === "link"
    : source?.kind === "summary" && source.name === "scopeDays" && scopeOf(needs)?.member === "link";
}

export type TagScope = {
  /** The one selected tag. */
  readonly value: string;
  /** What is read within it: only the time, or one dimension. */
  readonly member: "quarter" | Exclude<Dimension, "tag">;
};

/** For one selected tag, and at most one further dimension. */
function tagScopeOf(needs: Needs): TagScope | undefined {
  const filter = needs.filters.find(({ dimension }) => dimension === "tag");
  const [value] = filter?.is ?? [];
  const isOne = filter?.is.length === 1 && filter.isNot.length === 0 && typeof value === "string";
  const [member, ...more] = specialDimensions({
    ...needs,
    filters: needs.filters.filter((one) => one !== filter),
  });
  const isLinkChosen = needs.filters.some(({ dimension }) => dimension === "link");
  if (!isOne || isLinkChosen || more.length > 0) {
    return undefined;
  }
  if (member === undefined) {
    return { value, member: "quarter" };
  }
  if (isOfLinks(member)) {
    return { value, member: "link" };
  }
  return isRolled(member) ? { value, member } : undefined;
}

function specialDimensions({ filters, dimension }: Needs): readonly Dimension[] {
  const named = [
    ...filters.map((filter) => filter.dimension),
    ...(dimension === undefined ? [] : [dimension]),
  ];
  return [...new Set(named)].filter((one) => !ALWAYS_KEPT.includes(one));
}

/** The one dimension besides the selected links. */
function linkSetMemberOf(needs: Needs): LinkMember | undefined {
  const [member, ...more] = specialDimensions(needs).filter((dimension) => !isOfLinks(dimension));
  return choosesLinks(needs) && member !== undefined && more.length === 0 && isRolled(member)
    ? member
    : undefined;
}

/** Links are selected by id or tag: few enough to be read link by link. */
export function choosesLinks({ filters }: Needs): boolean {
  return filters.some(({ dimension, is }) => isOfLinks(dimension) && is.length > 0);
}

export function isOfLinks(dimension: Dimension): dimension is "link" | "tag" {
  return dimension === "link" || dimension === "tag";
}

function isRolled(dimension: Dimension): dimension is Exclude<Dimension, "tag"> {
  return dimension !== "tag" && ROLLED_DIMENSIONS.some((column) => column === columnOf(dimension));
}
