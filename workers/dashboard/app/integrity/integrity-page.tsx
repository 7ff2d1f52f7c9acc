/** Whether every click of the deployment is accounted for: by day, from the ledger, and what to do where it is not. For operators. */
import type { Integrity } from "@hopline/client/openapi";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Copy, ShieldCheck } from "lucide-react";
import { formatDate, formatNumber } from "../format.ts";
import { usePreferences } from "../preferences.ts";
import { ask, useMe } from "../queries.ts";
import { choiceIn } from "../search-params.ts";
import { OperatorsOnly } from "../shell/who-may.tsx";
import { choicesOf, hinted, IconButton, Segments } from "../ui/controls.tsx";
import { copy } from "../ui/copy.ts";
import { Empty, Note, PageHead, Waiting } from "../ui/page.tsx";
import { describeIntegrity } from "./describe-integrity.ts";
import { STATES, COLUMNS, PERIODS, t } from "./words.ts";
import { shared } from "../words.ts";

const route = getRouteApi("/signed-in/integrity");
const PERIOD_CHOICES = choicesOf(PERIODS);

/** How often what may still arrive is looked at again. */
const REFRESH_MS = 30_000;

export function IntegrityPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/integrity" });
  const { timeZone } = usePreferences();
  const { isOperator } = useMe();
  const period =
    choiceIn(
      search,
      "period",
      PERIOD_CHOICES.map(({ value }) => value),
    ) ?? "last7Days";
  const integrity = useQuery({
    ...ask(["integrity", period, timeZone], (own, options) =>
      own.readIntegrity({ period, timeZone }, options),
    ),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
    enabled: isOperator,
  });
  return (
    <main className="page">
      <PageHead title={t.integrity} about={t.whatBecameEveryClickInAll}>
        <Segments
          label={t.period}
          value={period}
          onChange={(value) => void navigate({ search: { period: value } })}
          choices={PERIOD_CHOICES}
        />
      </PageHead>
      {isOperator ? <Waiting query={integrity} lines={8} height={34} /> : <OperatorsOnly />}
      {integrity.data !== undefined && (
        <div className={integrity.isPlaceholderData ? "stack old" : "stack"}>
          {integrity.data.countedUntil === null && integrity.data.deadLetters.open === 0 ? (
            <Empty icon={ShieldCheck} title={t.noClickHasBeenCountedYet}>
              {t.edgeNumbersEveryClickVisit}
            </Empty>
          ) : (
            <Told integrity={integrity.data} timeZone={timeZone} />
          )}
        </div>
      )}
    </main>
  );
}

type ToldProps = { readonly integrity: Integrity; readonly timeZone: string };

function Told({ integrity, timeZone }: ToldProps) {
  const { kind, title, text } = describeIntegrity(integrity, timeZone);
  return (
    <>
      <Note kind={kind}>
        <strong>{title}</strong>
        <div>{text}</div>
      </Note>
      {integrity.missing > 0 && <WhatToDo integrity={integrity} />}
      {integrity.deadLetters.open > 0 && <Letters letters={integrity.deadLetters} timeZone={timeZone} />}
      <Days integrity={integrity} timeZone={timeZone} />
      <section className="card stack tight" aria-label={t.howThisIsMeasured}>
        <h2>{t.howThisIsMeasured}</h2>
        <p className="soft">
          {t.eachIsolateAtEdgeNumbers} <code>pnpm reconcile</code> {t.alsoComparesStoredClicks}
        </p>
      </section>
    </>
  );
}

function WhatToDo({ integrity: { days } }: { readonly integrity: Integrity }) {
  const [first] = days.filter(({ missing }) => missing > 0);
  return (
    <section className="card stack" aria-label={t.whatToDo}>
      <h2>{t.whatToDo}</h2>
      <ol className="steps">
        <li>
          {t.lookWhetherTheyWaitQueues} <code>hopline-clicks-*</code> {t.andTheirBacklog}
        </li>
        <li>
          {t.lookIntoProducersLogFor} <code>segment.logged</code> {t.and} <code>segment.lost</code>
          {t.firstCanStillBeCounted}
          <Command text="pnpm dead-letters import <log file>" />
        </li>
        {first !== undefined && (
          <li>
            {t.compareEverything}
            <Command text={`pnpm reconcile --since ${first.from.slice(0, 16)}Z`} />
          </li>
        )}
        <li>
          {t.wholeWayIsIn} <code>docs/run-book.md</code>
          {t.underClicksAreMissing}
        </li>
      </ol>
    </section>
  );
}

function Command({ text }: { readonly text: string }) {
  return (
    <span className="command">
      <code>{text}</code>
      <IconButton icon={Copy} label={t.copyText(text)} onClick={() => void copy(text)} />
    </span>
  );
}

type LettersProps = { readonly letters: Integrity["deadLetters"]; readonly timeZone: string };

function Letters({ letters: { open, unreadable, oldestAt }, timeZone }: LettersProps) {
  return (
    <Note kind="warn">
      {t.deadLettersWaitForOperator(open, oldestAt, timeZone, unreadable)}
      <Command text="pnpm dead-letters list" />
      <span className="small soft">
        <code>docs/run-book.md</code>
        {t.deadLettersSaysHowToCount}
      </span>
    </Note>
  );
}

type Counts = Pick<Integrity, "accepted" | "inserted" | "duplicate" | "waiting" | "rejected" | "missing">;

function Days({ integrity, timeZone }: ToldProps) {
  return (
    <section className="card scroll-x" tabIndex={0} aria-label={t.byDay}>
      <table className="plain-table numbers">
        <thead>
          <tr>
            <th scope="col">{t.day}</th>
            {COLUMNS.map(({ name, label, hint }) => (
              <th key={name} scope="col" className="number">
                <span {...hinted(hint)}>{label}</span>
              </th>
            ))}
            <th scope="col">{shared.state}</th>
          </tr>
        </thead>
        <tbody>
          {integrity.days.toReversed().map((day) => (
            <tr key={day.from}>
              <th scope="row">{formatDate(day.from, timeZone)}</th>
              <Cells counts={day} />
              <td>
                {day.accepted === 0 && day.state === "accounted-for" ? (
                  <span className="status">{t.noClicks}</span>
                ) : (
                  <span className={`status ${STATES[day.state].kind}`}>{STATES[day.state].label}</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t.total}</th>
            <Cells counts={integrity} />
            <td />
          </tr>
        </tfoot>
      </table>
    </section>
  );
}

function Cells({ counts }: { readonly counts: Counts }) {
  return COLUMNS.map(({ name }) => (
    <td key={name} className={`number ${name === "missing" && counts.missing > 0 ? "lost" : ""}`}>
      {formatNumber(counts[name])}
    </td>
  ));
}
