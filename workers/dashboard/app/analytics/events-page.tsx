/** Single clicks: the last hundred, and from then on each as it comes. */
import type { CallOptions } from "@hopline/client/client";
import type { Click } from "@hopline/client/openapi";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { ChartSpline } from "lucide-react";
import { useEffect, useState } from "react";
import { useHopline } from "../caches.ts";
import { countryName, formatDate, formatTime } from "../format.ts";
import { linkQuery } from "../links/link-cache.ts";
import { useDebounced } from "../links/use-debounced.ts";
import { usePreferences } from "../preferences.ts";
import { ask } from "../queries.ts";
import { stringifySearch } from "../search-params.ts";
import { buttonClass, CsvLink, PathFirst } from "../ui/controls.tsx";
import { type Column, TableCard } from "../ui/data-table.tsx";
import { Empty, PageHead, Waiting } from "../ui/page.tsx";
import { filtersOf, toQuestion } from "./analytics-search.ts";
import { FilterChips } from "./filter-chips.tsx";
import { followClicks } from "./follow-clicks.ts";
import { valueName } from "./value-name.ts";
import { shared } from "../words.ts";
import { t } from "./words.ts";

const route = getRouteApi("/signed-in/w/$workspaceId/events");

const FIRST = 100;
/** Of those that come while the page is open. */
const MOST_NEW = 400;
/** After the last of several clicks the numbers of other pages are old. */
const AFTER_CLICK_MS = 1_000;

type State = { readonly clicks: readonly Click[]; readonly isOpen: boolean; readonly fault: string | null };
const NOT_OPEN: State = { clicks: [], isOpen: false, fault: null };

export function EventsPage() {
  const search = route.useSearch();
  const { workspaceId: workspace } = route.useParams();
  const navigate = useNavigate({ from: "/w/$workspaceId/events" });
  const { timeZone } = usePreferences();
  const hopline = useHopline();
  const queryClient = useQueryClient();
  const filters = filtersOf(search);
  // The same filters in a new object are no new question.
  const key = JSON.stringify(filters);
  const question = toQuestion({ ...search, period: search.period ?? "last90Days" }, timeZone);
  const before = useQuery(
    ask(["events", question], (own, options) => own.listClicks({ ...question, limit: FIRST }, options)),
  );
  // One question for the addresses of all links that have clicks.
  const names = useQuery(
    ask(["events", "links", question], (own, options) =>
      own.readBreakdown({ ...question, dimension: "link", limit: FIRST }, options),
    ),
  );
  const labels = new Map(names.data?.values.map(({ value, label }) => [value, label]));
  const [{ clicks: newer, isOpen, fault }, setState] = useState(NOT_OPEN);
  const newest = useDebounced(newer[0], AFTER_CLICK_MS);
  useEffect(() => {
    if (newest !== undefined) {
      void queryClient.invalidateQueries({ queryKey: ["analytics"] });
    }
  }, [newest, queryClient]);
  useEffect(() => {
    const stop = new AbortController();
    const show = (change: (state: State) => State) => stop.signal.aborted || setState(change);
    const open = (options: CallOptions) =>
      hopline.streamLiveClicks(JSON.parse(key) as typeof filters, options);
    setState(NOT_OPEN);
    void followClicks(open, stop.signal, {
      onOpen: () => show((state) => ({ ...state, isOpen: true, fault: null })),
      onClick: (click) =>
        show((state) => ({ ...state, clicks: [click, ...state.clicks].slice(0, MOST_NEW) })),
      onFault: (text) => show((state) => ({ ...state, isOpen: false, fault: text })),
    });
    return () => stop.abort();
  }, [hopline, key]);
  const known = new Set(newer.map(({ id }) => id));
  const clicks = [...newer, ...(before.data?.data ?? []).filter(({ id }) => !known.has(id))];
  const today = formatDate(Date.now(), timeZone);
  const at = (instant: string) => {
    const day = formatDate(instant, timeZone);
    return `${day === today ? "" : `${day}, `}${formatTime(instant, timeZone)}`;
  };
  const columns: readonly Column<Click>[] = [
    { name: t.time, cell: (click) => at(click.at) },
    {
      name: shared.link,
      className: "cut",
      cell: ({ link }) =>
        link === null ? (
          t.deleted
        ) : (
          <LinkName id={link} label={labels.get(link) ?? null} isComing={names.isPending} />
        ),
    },
    {
      name: t.place,
      className: "cut",
      cell: ({ city, country }) =>
        [city?.split("/").at(-1), country === null ? null : countryName(country)]
          .filter((part) => part !== null && part !== undefined)
          .join(", ") || t.unknown,
    },
    {
      name: t.device,
      className: "cut",
      cell: (click) =>
        [click.browser, click.os].filter((part) => part !== null).join(", ") || (click.class ?? ""),
    },
    { name: t.comesFrom, className: "cut", cell: ({ referrer }) => valueName("referrer", referrer) },
    {
      name: t.wentTo,
      className: "cut soft",
      cell: ({ destination }) => <PathFirst url={valueName("destination", destination)} />,
    },
  ];
  return (
    <main className="page">
      <PageHead
        title={shared.events}
        about={
          <span className={`status ${isOpen ? "good" : "warn"}`} role="status">
            {isOpen ? t.liveClickShowsUpAboutThree : (fault ?? t.connecting)}
          </span>
        }
      >
        <Link
          className={buttonClass({})}
          from="/w/$workspaceId"
          to="/w/$workspaceId/analytics"
          search={search}
        >
          <ChartSpline size={16} aria-hidden /> {shared.analytics}
        </Link>
        <CsvLink href={`/api/v1/analytics/events.csv${stringifySearch({ workspace, ...question })}`} />
      </PageHead>
      <div className="row wrap">
        <FilterChips search={search} onChange={(next) => void navigate({ search: next })} />
      </div>
      <Waiting query={before} lines={8} height={26} />
      {before.isSuccess && clicks.length === 0 && (
        <Empty title={t.noClicksYet}>{t.openOneYourLinksClick}</Empty>
      )}
      <TableCard label={shared.clicks} className="live" columns={columns} rows={clicks} />
    </main>
  );
}

type LinkNameProps = { readonly id: string; readonly label: string | null; readonly isComing: boolean };

/** A link that had no click when the page was opened is asked for. */
function LinkName({ id, label, isComing }: LinkNameProps) {
  const link = useQuery({ ...linkQuery(id), staleTime: 60_000, enabled: !isComing && label === null });
  const address = label ?? link.data?.link.shortUrl;
  return address === undefined ? "…" : <PathFirst url={address} />;
}
