/** Clicks: how many, when, of what, from where. The first screen is one question to the API. */
import type { ClickBreakdown } from "@hopline/client/openapi";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Download, List } from "lucide-react";
import { Suspense, useRef } from "react";
import { formatNumber } from "../format.ts";
import { usePreferences } from "../preferences.ts";
import { ask } from "../queries.ts";
import { type Cleared, compact } from "../search-params.ts";
import { Button, buttonClass, choicesOf, Segments, Select } from "../ui/controls.tsx";
import { ErrorNote, PageHead, Skeleton } from "../ui/page.tsx";
import { saveFile, toCsvFile } from "../ui/save-file.ts";
import {
  type AnalyticsSearch,
  type Chip,
  type Dimension,
  filtersOf,
  hasCheapVisitors,
  toQuestion,
  withChip,
} from "./analytics-search.ts";
import { BreakdownCard } from "./breakdown-card.tsx";
import { Completeness } from "./completeness.tsx";
import { toNumbersCsv } from "./numbers-csv.ts";
import { PeriodChoice } from "./period-choice.tsx";
import { FilterChips } from "./filter-chips.tsx";
import { describeChange, describeRange } from "./describe-range.ts";
import { SeriesChart } from "./series-chart.tsx";
import { valueName } from "./value-name.ts";
import { VIEWS, t } from "./words.ts";
import { shared } from "../words.ts";
import { lazyPart } from "../ui/lazy-part.ts";

const route = getRouteApi("/signed-in/w/$workspaceId/analytics");

const HeatMap = lazyPart(() => import("./heat-map.tsx"), "HeatMap");
const LinesCard = lazyPart(() => import("./lines-card.tsx"), "LinesCard");
const WorldMap = lazyPart(() => import("./world-map.tsx"), "WorldMap");

/** The first dimension of each card is on the first screen, and so in its one question. */
const CARDS = [
  { title: shared.links, dimensions: ["link", "domain", "tag", "destination"] },
  { title: t.sources, dimensions: ["referrer", "source", "utmSource", "utmCampaign"] },
  { title: t.places, dimensions: ["country", "region", "city", "language"] },
  { title: t.devices, dimensions: ["browser", "os", "device"] },
] as const satisfies readonly { title: string; dimensions: readonly Dimension[] }[];
const FIRST_LISTS = CARDS.map(({ dimensions: [first] }) => first);

export function AnalyticsPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/w/$workspaceId/analytics" });
  const { timeZone } = usePreferences();
  const { view = "map", compare } = search;
  const isComparing = compare !== undefined;
  const question = toQuestion(search, timeZone);
  const overview = useQuery({
    ...ask(["analytics", "overview", question], (hopline, options) =>
      hopline.readOverview(
        { ...question, lists: [...FIRST_LISTS], limit: 8, visitors: hasCheapVisitors(search) },
        options,
      ),
    ),
    placeholderData: keepPreviousData,
  });
  const { data, isPlaceholderData: isOld } = overview;
  const { previous, series, range } = data ?? {};
  const before = useQuery({
    ...ask(["analytics", "before", question], (hopline, options) =>
      hopline.readTimeseries(
        compact({
          ...filtersOf(search),
          timeZone,
          from: previous?.range.from,
          to: previous?.range.to,
          interval: series?.interval,
        }),
        options,
      ),
    ),
    enabled: isComparing && previous !== undefined && !isOld,
  });
  /** What each card shows, for the file. */
  const shown = useRef(new Map<string, ClickBreakdown>());
  const go = (next: AnalyticsSearch) => void navigate({ search: next });
  const change = (part: Cleared<AnalyticsSearch>) =>
    void navigate({ search: compact({ ...search, ...part }) });
  const add = (chip: Chip) => go(withChip(search, chip));
  return (
    <main className="page">
      <PageHead
        title={shared.analytics}
        about={
          range === undefined ? (
            "…"
          ) : (
            <span className="row wrap">
              {describeRange(range, timeZone, Date.now())} ({timeZone.replaceAll("_", " ")}){" "}
              <Completeness range={range} />
            </span>
          )
        }
      >
        <Link className={buttonClass({})} from="/w/$workspaceId" to="/w/$workspaceId/events" search={search}>
          <List size={16} aria-hidden /> {shared.events}
        </Link>
        <Button
          icon={Download}
          label={t.csv}
          disabled={data === undefined || isOld}
          onClick={() =>
            data !== undefined &&
            saveFile("analytics.csv", toCsvFile(toNumbersCsv(data, [...shown.current.values()])))
          }
        />
      </PageHead>
      <div className="row wrap">
        <PeriodChoice search={search} onChange={change} />
        <Select
          aria-label={t.visitors}
          className="input class-choice"
          value={search.class?.[0] ?? "human"}
          onChange={(value) => change({ class: value === "human" ? undefined : [value] })}
          choices={["human", "bot", "all"].map((value) => ({ value, label: valueName("class", value) }))}
        />
        <FilterChips search={search} onChange={go} />
      </div>
      {overview.isError && <ErrorNote error={overview.error} onRetry={() => void overview.refetch()} />}
      {/* What has failed is not on its way: no skeletons beside the error. */}
      {!(overview.isError && data === undefined) && (
        <>
          <section className={isOld ? "card stack old" : "card stack"}>
            {data === undefined ? (
              <Skeleton lines={6} height={34} />
            ) : (
              <>
                <div className="row wrap figures">
                  <Figure label={shared.clicks} value={data.totals.clicks} before={data.previous.clicks} />
                  {data.totals.visitors === null ? (
                    <div className="figure">
                      <span className="soft small">{t.visitors}</span>
                      <span className="small soft">{t.notAvailableWithThisFilter}</span>
                    </div>
                  ) : (
                    <Figure
                      label={t.visitors}
                      hint={t.countedByDaySomeone}
                      value={data.totals.visitors}
                      before={data.previous.visitors ?? 0}
                    />
                  )}
                  <Button
                    label={isComparing ? t.hidePreviousPeriod : t.compareToPreviousPeriod}
                    isSmall
                    className="spread"
                    aria-pressed={isComparing}
                    onClick={() => change({ compare: isComparing ? undefined : "previous" })}
                  />
                </div>
                <SeriesChart
                  label={shared.clicks}
                  interval={data.series.interval}
                  starts={data.series.points.map(({ at }) => at)}
                  end={data.range.to}
                  lines={[
                    { name: shared.clicks, values: data.series.points.map(({ clicks }) => clicks) },
                    ...(isComparing && before.data !== undefined
                      ? [
                          {
                            name: t.previousPeriod,
                            values: before.data.points.map(({ clicks }) => clicks),
                            isDashed: true,
                          },
                        ]
                      : []),
                  ]}
                  timeZone={timeZone}
                />
              </>
            )}
          </section>
          <div className="cards">
            {CARDS.map(({ title, dimensions }, index) => (
              <BreakdownCard
                key={title}
                title={title}
                dimensions={dimensions}
                first={data?.lists[index]}
                question={question}
                onFilter={add}
                onShow={(breakdown) => shown.current.set(title, breakdown)}
              />
            ))}
          </div>
          <section className="card stack">
            <div className="row wrap">
              <Segments
                label={t.view}
                value={view}
                onChange={(chosen) => change({ view: chosen })}
                choices={choicesOf(VIEWS)}
              />
            </div>
            <Suspense fallback={<Skeleton lines={6} height={30} />}>
              {view === "map" && (
                <WorldMap
                  question={question}
                  onCountry={(value) => add({ dimension: "country", isNot: false, value })}
                />
              )}
              {view === "hours" && <HeatMap question={question} />}
              {view === "lines" && <LinesCard question={question} />}
            </Suspense>
          </section>
        </>
      )}
    </main>
  );
}

type FigureProps = {
  readonly label: string;
  readonly value: number;
  readonly before: number;
  readonly hint?: string;
};

function Figure({ label, value, before, hint }: FigureProps) {
  const change = describeChange(value, before);
  return (
    <div className="figure" title={hint}>
      <span className="soft small">{label}</span>
      <strong>{formatNumber(value)}</strong>
      {change !== null && (
        <span className={`small ${value < before ? "fell" : "rose"}`}>
          {change}
          <span className="soft"> {t.fromBefore(formatNumber(before))}</span>
        </span>
      )}
    </div>
  );
}
