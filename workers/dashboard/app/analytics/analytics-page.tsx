/** Clicks: how many, when, of what, from where. The first screen is one question to the API. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, lazyRouteComponent, useNavigate } from "@tanstack/react-router";
import { Download, X } from "lucide-react";
import { Suspense, useState } from "react";
import "../styles/analytics.css";
import { useHopline } from "../caches.ts";
import { formatNumber } from "../format.ts";
import { linkQuery } from "../links/link-cache.ts";
import { usePreferences } from "../preferences.ts";
import { stringifySearch } from "../search-params.ts";
import { PageHead } from "../shell/page-head.tsx";
import { Button, buttonClass, Segments, Select, TextField } from "../ui/controls.tsx";
import { ErrorNote, Skeleton } from "../ui/notes.tsx";
import { Popup } from "../ui/popup-menu.tsx";
import {
  type AnalyticsSearch,
  type Chip,
  chipsOf,
  type Dimension,
  DIMENSIONS,
  filtersOf,
  hasCheapVisitors,
  PERIODS,
  toQuestion,
  type View,
  VIEWS,
  withChip,
  withoutChip,
  withoutDays,
} from "./analytics-search.ts";
import { BreakdownCard } from "./breakdown-card.tsx";
import { Completeness } from "./completeness.tsx";
import { describeChange, describeRange } from "./describe-range.ts";
import { SeriesChart } from "./series-chart.tsx";
import { valueName } from "./value-name.ts";

const route = getRouteApi("/signed-in/w/$workspaceId/analytics");

const HeatMap = lazyRouteComponent(() => import("./heat-map.tsx"), "HeatMap");
const LinesCard = lazyRouteComponent(() => import("./lines-card.tsx"), "LinesCard");
const LiveFeed = lazyRouteComponent(() => import("./live-feed.tsx"), "LiveFeed");
const WorldMap = lazyRouteComponent(() => import("./world-map.tsx"), "WorldMap");

/** The first dimension of each card is on the first screen, and so in its one question. */
const CARDS = [
  { title: "Links", dimensions: ["link", "domain", "tag", "destination"] },
  { title: "Sources", dimensions: ["referrer", "source", "utmSource", "utmCampaign"] },
  { title: "Places", dimensions: ["country", "region", "city", "language"] },
  { title: "Devices", dimensions: ["browser", "os", "device"] },
] as const satisfies readonly { title: string; dimensions: readonly Dimension[] }[];
const FIRST_LISTS = CARDS.map(({ dimensions: [first] }) => first);

export function AnalyticsPage() {
  const hopline = useHopline();
  const search = route.useSearch();
  const { workspaceId: workspace } = route.useParams();
  const navigate = useNavigate({ from: "/w/$workspaceId/analytics" });
  const { timeZone } = usePreferences();
  const { view = "map", compare } = search;
  const isComparing = compare !== undefined;
  const question = toQuestion(search, timeZone);
  const overview = useQuery({
    queryKey: ["analytics", "overview", question],
    queryFn: ({ signal }) =>
      hopline.readOverview(
        { ...question, lists: [...FIRST_LISTS], limit: 8, visitors: hasCheapVisitors(search) },
        { signal },
      ),
    placeholderData: keepPreviousData,
  });
  const { previous, series, range } = overview.data ?? {};
  const before = useQuery({
    queryKey: ["analytics", "before", question],
    queryFn: ({ signal }) =>
      hopline.readTimeseries(
        {
          ...filtersOf(search),
          timeZone,
          ...(previous === undefined ? {} : { from: previous.range.from, to: previous.range.to }),
          ...(series === undefined ? {} : { interval: series.interval }),
        },
        { signal },
      ),
    enabled: isComparing && previous !== undefined && !overview.isPlaceholderData,
  });
  const go = (next: AnalyticsSearch) => void navigate({ search: next });
  const add = (chip: Chip) => go(withChip(search, chip));
  return (
    <main className="page">
      <PageHead
        title="Analytics"
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
        <a
          className={buttonClass({})}
          href={`/api/v1/analytics/events.csv${stringifySearch({ workspace, ...question })}`}
          download
        >
          <Download size={16} aria-hidden /> CSV
        </a>
      </PageHead>
      <div className="row wrap">
        <PeriodChoice search={search} onChange={go} />
        <Select
          aria-label="Visitors"
          className="input class-choice"
          value={search.class?.[0] ?? "human"}
          onChange={(value) => go(value === "human" ? withoutClass(search) : { ...search, class: [value] })}
          choices={["human", "bot", "all"].map((value) => ({ value, label: valueName("class", value) }))}
        />
        {chipsOf(search)
          .filter(({ dimension }) => dimension !== "class")
          .map((chip) => (
            <FilterChip
              key={`${chip.dimension}${String(chip.isNot)}${chip.value}`}
              chip={chip}
              onRemove={() => go(withoutChip(search, chip))}
            />
          ))}
      </div>
      {overview.isError && <ErrorNote error={overview.error} onRetry={() => void overview.refetch()} />}
      {/* What has failed is not on its way: no skeletons beside the error. */}
      {!(overview.isError && overview.data === undefined) && (
        <>
          <section className={overview.isPlaceholderData ? "card stack old" : "card stack"}>
            {overview.data === undefined ? (
              <Skeleton lines={6} height={34} />
            ) : (
              <>
                <div className="row wrap figures">
                  <Figure
                    label="Clicks"
                    value={overview.data.totals.clicks}
                    before={overview.data.previous.clicks}
                  />
                  {overview.data.totals.visitors === null ? (
                    <div className="figure">
                      <span className="soft small">Visitors</span>
                      <span className="small soft">Not counted for these filters</span>
                    </div>
                  ) : (
                    <Figure
                      label="Visitors"
                      hint="Counted by day: someone who comes on three days counts three times."
                      value={overview.data.totals.visitors}
                      before={overview.data.previous.visitors ?? 0}
                    />
                  )}
                  <Button
                    isSmall
                    className="spread"
                    aria-pressed={isComparing}
                    onClick={() =>
                      go(isComparing ? withoutComparison(search) : { ...search, compare: "previous" })
                    }
                  >
                    {isComparing ? "Hide previous period" : "Compare to previous period"}
                  </Button>
                </div>
                <SeriesChart
                  label="Clicks"
                  interval={overview.data.series.interval}
                  starts={overview.data.series.points.map(({ at }) => at)}
                  end={overview.data.range.to}
                  lines={[
                    { name: "Clicks", values: overview.data.series.points.map(({ clicks }) => clicks) },
                    ...(isComparing && before.data !== undefined
                      ? [
                          {
                            name: "Previous period",
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
                first={overview.data?.lists[index]}
                question={question}
                onFilter={add}
              />
            ))}
          </div>
          <section className="card stack">
            <div className="row wrap">
              <Segments
                label="View"
                value={view}
                onChange={(chosen) => go({ ...search, view: chosen })}
                choices={(Object.keys(VIEWS) as View[]).map((value) => ({ value, label: VIEWS[value] }))}
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
              {view === "live" && <LiveFeed filters={filtersOf(search)} />}
            </Suspense>
          </section>
        </>
      )}
    </main>
  );
}

function withoutComparison({ compare: _compare, ...search }: AnalyticsSearch): AnalyticsSearch {
  return search;
}

function withoutClass({ class: _class, ...search }: AnalyticsSearch): AnalyticsSearch {
  return search;
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
          <span className="soft"> from {formatNumber(before)}</span>
        </span>
      )}
    </div>
  );
}

type PeriodChoiceProps = {
  readonly search: AnalyticsSearch;
  readonly onChange: (search: AnalyticsSearch) => void;
};

const SHOWN_PERIODS = ["today", "last7Days", "last30Days", "last90Days", "last12Months"] as const;

function PeriodChoice({ search, onChange }: PeriodChoiceProps) {
  const { period, from, to } = search;
  const [first, setFirst] = useState(from ?? "");
  const [last, setLast] = useState(to ?? "");
  const [isOpen, setOpen] = useState(false);
  const chosen = from === undefined ? (period ?? "last30Days") : "days";
  const others = (Object.keys(PERIODS) as (keyof typeof PERIODS)[]).filter(
    (one) => !SHOWN_PERIODS.some((shown) => shown === one),
  );
  const choose = (value: keyof typeof PERIODS) => {
    onChange({ ...withoutDays(search), period: value });
    setOpen(false);
  };
  return (
    <div className="row wrap">
      <Select
        aria-label="Period"
        className="input class-choice on-phone"
        value={chosen}
        onChange={(value) => {
          const known = (Object.keys(PERIODS) as (keyof typeof PERIODS)[]).find((one) => one === value);
          if (known !== undefined) {
            choose(known);
          }
        }}
        choices={[
          ...(from === undefined ? [] : [{ value: "days", label: `${from} to ${to ?? ""}` }]),
          ...Object.entries(PERIODS).map(([value, label]) => ({ value, label })),
        ]}
      />
      <Segments<string>
        label="Period"
        value={chosen}
        onChange={(value) => {
          const known = SHOWN_PERIODS.find((one) => one === value);
          if (known !== undefined) {
            choose(known);
          }
        }}
        choices={SHOWN_PERIODS.map((value) => ({ value, label: PERIODS[value] }))}
      />
      <Popup
        title="Another period"
        isOpen={isOpen}
        onOpenChange={setOpen}
        trigger={
          <Button isSmall>
            {from !== undefined
              ? `${from} to ${to ?? ""}`
              : others.includes(chosen as never)
                ? PERIODS[chosen as keyof typeof PERIODS]
                : "Custom range"}
          </Button>
        }
      >
        <div className="stack tight">
          <div className="row wrap">
            {others.map((value) => (
              <Button key={value} isSmall onClick={() => choose(value)}>
                {PERIODS[value]}
              </Button>
            ))}
          </div>
          <form
            className="stack tight"
            onSubmit={(event) => {
              event.preventDefault();
              onChange({ ...withoutDays(search), from: first, to: last });
              setOpen(false);
            }}
          >
            <div className="row">
              <TextField label="First day" type="date" value={first} onChange={setFirst} required />
              <TextField label="Last day" type="date" min={first} value={last} onChange={setLast} required />
            </div>
            <Button type="submit" kind="primary" isSmall>
              Show these days
            </Button>
          </form>
        </div>
      </Popup>
    </div>
  );
}

function FilterChip({ chip, onRemove }: { readonly chip: Chip; readonly onRemove: () => void }) {
  const { dimension, isNot, value } = chip;
  const link = useQuery({
    ...linkQuery(value),
    enabled: dimension === "link" && value !== "",
    staleTime: 60_000,
  });
  const name = valueName(dimension, value, link.data?.link.shortUrl ?? null);
  const text = `${DIMENSIONS[dimension]}${isNot ? " is not" : ":"} ${name}`;
  return (
    <span className="chip active">
      <span className="cut">{text}</span>
      <button type="button" aria-label={`Remove the filter ${text}`} onClick={onRemove}>
        <X size={13} aria-hidden />
      </button>
    </span>
  );
}
