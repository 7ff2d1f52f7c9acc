/** GET /api/v1/integrity: whether every click of the deployment is accounted for, by day. */
import { DAY_MS } from "@hopline/analytics/calendar";
import { bucketStarts } from "@hopline/analytics/interval";
import type { TimeRange } from "@hopline/analytics/range";
import {
  type LedgerDay,
  SELECT_LEDGER_REACH,
  selectLedgerDays,
  toLedgerDays,
  toLedgerReach,
} from "@hopline/db/ledger/find-ledger-days";
import { z } from "@hono/zod-openapi";
import { RANGE_FIELDS, readRange } from "../analytics/question-shape.ts";
import { runStatements } from "../run-statements.ts";
import type { ApiDeps } from "../api-deps.ts";
import { endpoint } from "../http/endpoint.ts";
import { jsonAnswer } from "../http/operation.ts";
import { invalidField, ProblemError } from "../http/problem.ts";
import { toInstant, toInstantOrNull } from "../instant.ts";
import { DAY_STATES, judgeDay, judgeRange } from "./judge-days.ts";
import { INTEGRITY_PATH, needsOperatorOrToken } from "../operators/needs-operator.ts";

/** 96 sums a day are read. */
const MAX_DAYS = 366;

/** Clicks. */
const counts = {
  accepted: z.number().int().openapi({
    description: "Clicks that the edge has numbered: `inserted + rejected + waiting + missing`.",
  }),
  inserted: z.number().int().openapi({ description: "Stored, and in the analytics." }),
  duplicate: z.number().int().openapi({ description: "Delivered again, and skipped." }),
  rejected: z.number().int().openapi({ description: "Refused by the database; each is in a dead letter." }),
  waiting: z.number().int().openapi({ description: "Not there yet, for a quarter of an hour at most." }),
  missing: z.number().int().openapi({
    description: "Not there for longer: lost, or held up in a queue or in the spill.",
  }),
};

const STATES =
  "`accounted-for`: each click is stored or in a dead letter. `missing`: some are neither. `arriving`: the day is not over, or its clicks may still be on their way, because no later one has been counted.";

const IntegrityBody = z
  .object({
    from: z.iso.datetime(),
    to: z.iso.datetime().openapi({
      description: "Exclusive. Whole days, without those still to come.",
    }),
    timeZone: z.string(),
    state: z.enum(DAY_STATES).openapi({ description: "The worst of the days, in the order of the list." }),
    ...counts,
    days: z.array(
      z.object({
        from: z.iso.datetime(),
        to: z.iso.datetime(),
        state: z.enum(DAY_STATES).openapi({ description: STATES }),
        ...counts,
      }),
    ),
    countedUntil: z.iso.datetime().nullable().openapi({
      description: "When the newest click that was counted was made, or one sent together with it.",
    }),
    deadLetters: z
      .object({
        open: z.number().int(),
        unreadable: z.number().int().openapi({
          description: "Messages that can't be read: how many clicks they hold is not known.",
        }),
        oldestAt: z.iso.datetime().nullable(),
      })
      .openapi({ description: "All that wait for the operator, of whichever day." }),
  })
  .openapi("Integrity");

const { from, to, period, timeZone } = RANGE_FIELDS;

export const readIntegrityOperation = endpoint({
  method: "get",
  path: INTEGRITY_PATH,
  operationId: "readIntegrity",
  summary: "Read whether every click is accounted for",
  description:
    "By day, from the ledger that `pnpm reconcile` reads. It is of the whole deployment: send an operator's session, or METRICS_TOKEN. A click that an isolate lost after its last delivery leaves no gap, and can't be seen here.",
  tags: ["Operation"],
  ...needsOperatorOrToken(),
  request: { query: z.object({ from, to, period, timeZone }) },
  responses: { 200: jsonAnswer("The days, and all of them together.", IntegrityBody) },
  problems: ["query_too_wide"],
}).handle(async (context, deps: ApiDeps) => {
  const nowMs = deps.nowMs();
  const range = readRange(context.req.valid("query"), nowMs);
  if (range.toMs - range.fromMs > MAX_DAYS * DAY_MS + DAY_MS) {
    throw invalidField("from", `covers more than ${MAX_DAYS} days: ask for a shorter range`);
  }
  const edges = edgesOf(range, nowMs);
  const [ledger, reach] = await runStatements(deps.database, [
    { query: selectLedgerDays(edges), read: (rows) => toLedgerDays(rows, edges.length - 1) },
    { query: SELECT_LEDGER_REACH, read: toLedgerReach },
  ]).catch((error: unknown) => {
    throw error instanceof ProblemError && error.code === "query_too_wide" ? TOO_WIDE : error;
  });
  const { countedUntilMs } = reach;
  const days = ledger.map((counted, index) => {
    const [fromMs = 0, toMs = 0] = edges.slice(index, index + 2);
    const state = judgeDay({ toMs, ledger: counted }, { nowMs, countedUntilMs });
    return { fromMs, toMs, state, counted };
  });
  const [endMs = range.toMs] = edges.slice(-1);
  return context.json(
    {
      from: toInstant(days[0]?.fromMs ?? endMs),
      to: toInstant(endMs),
      timeZone: range.timeZone,
      state: judgeRange(days.map(({ state }) => state)),
      ...sumOf(days.map(({ counted }) => counted)),
      days: days.map(({ fromMs, toMs, state, counted }) => ({
        from: toInstant(fromMs),
        to: toInstant(toMs),
        state,
        ...counted,
      })),
      countedUntil: toInstantOrNull(countedUntilMs),
      deadLetters: {
        open: reach.openLetters,
        unreadable: reach.unreadableLetters,
        oldestAt: toInstantOrNull(reach.oldestLetterMs),
      },
    },
    200,
  );
});

const TOO_WIDE = new ProblemError("query_too_wide", [
  { path: "from", message: "covers too many clicks: ask for fewer days, or run `pnpm reconcile`" },
]);

/** The beginnings of the range's days as far as they have begun, and the end of the last one. */
function edgesOf({ timeZone, fromMs, toMs }: TimeRange, nowMs: number): readonly number[] {
  const until = Math.min(toMs, nowMs + 1);
  const starts = bucketStarts({ fromMs, toMs: until }, "day", timeZone);
  const last = starts.at(-1);
  if (last === undefined) {
    throw invalidField("from", "is still to come: choose an earlier day");
  }
  // A day has 25 hours at most.
  const end = bucketStarts({ fromMs: last, toMs: last + 2 * DAY_MS }, "day", timeZone)[1] ?? last + DAY_MS;
  return [...starts, end];
}

function sumOf(days: readonly LedgerDay[]): LedgerDay {
  const sum = (name: keyof LedgerDay) => days.reduce((total, day) => total + day[name], 0);
  return {
    accepted: sum("accepted"),
    inserted: sum("inserted"),
    duplicate: sum("duplicate"),
    rejected: sum("rejected"),
    waiting: sum("waiting"),
    missing: sum("missing"),
  };
}
