/**
 * The clicks of a question as a sub-SELECT with rows of (at, clicks, value, visitor, visitors): from the cube and the rollups where
 * they are exact, from single clicks elsewhere. The outer statement decides what is counted. `visitors` are in no other row.
 */
import { type Sql, sql } from "@hopline/db/sql";
import { DAY_MS } from "../calendar.ts";
import type { InstantRange } from "../range.ts";
import { toMultirange } from "../instant.ts";
import {
  choosePair,
  chooseTagPair,
  isQuickInRollups,
  type Pair,
  rollupOf,
  type Wanted,
} from "./choose-cells.ts";
import { daysMostlyIn, lengthOf, planRange } from "./plan.ts";
import { type CellOptions, selectCells } from "./select-cells.ts";
import { selectRows, selectShortEvents, selectSince } from "./select-rows.ts";
import type { PartTables } from "./statement-tables.ts";
import { daysIn, summedDays, tagDays, uncovered } from "./usable-days.ts";

/** Both ends of a range that no day covers. */
const SHORT_MS = 2 * DAY_MS;

/** @param tables of the statement that will contain the sub-SELECT. */
export function selectHits(wanted: Wanted, tables: PartTables): Sql {
  if (wanted.visitors === true) {
    return selectRows("click_events", toMultirange([wanted.range]), wanted, tables);
  }
  const { days, quarters, instants } = planRange(wanted.range, wanted.boundariesMs);
  const parts = [
    ...selectPart(days, false, wanted, tables),
    ...selectPart(quarters, true, wanted, tables),
    ...selectPieces(instants, wanted, tables),
  ];
  return sql.join(parts, sql` UNION ALL `);
}

/** @param isCut quarters of an hour, instead of whole days. */
function selectPart(
  spans: readonly InstantRange[],
  isCut: boolean,
  wanted: Wanted,
  tables: PartTables,
): readonly Sql[] {
  const pairs = choosePair(wanted, isCut);
  // Cells of one quarter of an hour may be cut, whatever is in them.
  const pair = pairs ?? choosePair(wanted, false);
  if (spans.length === 0 || pair === null) {
    return selectPieces(spans, wanted, tables);
  }
  const rollup = rollupOf(wanted);
  const isQuick = isQuickInRollups(wanted);
  const days = daysIn(spans, pairs === null ? "open" : isQuick ? "whole" : rollup === null ? "any" : "found");
  const tagPair = chooseTagPair(wanted, isCut && pairs !== null);
  const { current, others } = tagDays(days);
  const select = (of: Pair, ofDays: Sql) => selectCells(of, wanted, { spans, isCut, days: ofDays });
  const cells =
    tagPair !== null
      ? [select(tagPair, current), select(pair, others)]
      : isCut
        ? selectCut(pair, wanted, { spans, isCut, days })
        : [select(pair, days)];
  const rest = uncovered(spans, days);
  if (rollup !== null) {
    const since = isQuick ? [] : [selectSince(days, spans, wanted)];
    return [...cells, selectRows(rollup, rest, wanted, tables), ...since];
  }
  tables.cellSpans.push(toMultirange(spans));
  const events =
    pairs === null
      ? selectPieces(spans, wanted, tables, rest)
      : [selectRows("click_events", rest, wanted, tables)];
  return [...cells, ...events, selectSince(days, spans, wanted)];
}

/**
 * Of a running day of which more than half is asked, as of most time zones' today: the sum of its slices without what is not asked, which
 * are fewer cells than all of its quarters of an hour.
 */
function selectCut(pair: Pair, wanted: Wanted, options: CellOptions): readonly Sql[] {
  const whole = choosePair(wanted, false);
  const { days, lacking } = daysMostlyIn(options.spans);
  if (wanted.boundariesMs !== undefined || whole?.scope !== "" || days.length === 0) {
    return [selectCells(pair, wanted, options)];
  }
  const { summed, others } = summedDays(options.days, days);
  return [
    selectCells(whole, wanted, { spans: days, isCut: false, days: summed }),
    selectCells(pair, wanted, { spans: lacking, isCut: true, days: summed, isSubtracted: true }),
    selectCells(pair, wanted, { ...options, days: others }),
  ];
}

/** Only single clicks answer. @param rest what of the spans they answer. */
function selectPieces(
  spans: readonly InstantRange[],
  wanted: Wanted,
  tables: PartTables,
  rest = toMultirange(spans),
): readonly Sql[] {
  if (lengthOf(spans) > SHORT_MS) {
    return [selectRows("click_events", rest, wanted, tables)];
  }
  return spans.length === 0 ? [] : [selectShortEvents(rest, wanted, tables)];
}
