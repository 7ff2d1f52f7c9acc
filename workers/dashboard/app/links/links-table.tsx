/**
 * The table of links. Only the rows on the screen exist, so that a hundred thousand links cost as much as thirty, and a row is drawn
 * again only when it changes: what is pressed in it is heard by the table, and its links are the browser's own. By keyboard it is a grid: arrows, Home, End, Page Up and Down move, space or x chooses,
 * Enter opens, a shows analytics, c copies, m opens the menu of a link.
 */
import type { Link } from "@hopline/client/openapi";
import type { LinkSort } from "@hopline/core/link/link-sorts";
import { keepPreviousData, type UseInfiniteQueryResult, useQueries, useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRouter } from "@tanstack/react-router";
import { ArrowDown, ArrowUp, Copy, CornerDownRight, Ellipsis } from "lucide-react";
import {
  type ComponentType,
  type KeyboardEvent,
  memo,
  type MouseEvent,
  useEffect,
  useRef,
  useState,
} from "react";
import { countOf, formatAgo, formatDate, formatNumber, formatUrl } from "../format.ts";
import { domainsQuery, useWorkspace } from "../queries.ts";
import { type TagColors, useTagColors } from "../tags/tag-colors.ts";
import { TagDot } from "../tags/tag-dot.tsx";
import { hinted, IconButton, Time } from "../ui/controls.tsx";
import { copy } from "../ui/copy.ts";
import { loadOverlays } from "../ui/load-overlays.ts";
import type { AskedMenu, MenuPlace } from "./link-menu.tsx";
import { StatusMark } from "./link-status.tsx";
import { linesQuery, Sparkline } from "./sparkline.tsx";
import { t } from "./words.ts";
import { shared } from "../words.ts";

/** In pixels; links.css has the same. */
const ROW_HEIGHT = 58;
const HEAD_HEIGHT = 40;
/** Rows above and below those on the screen: scrolling finds them drawn. */
const OVERSCAN = 8;
/** So many rows before the end the next page is asked for. */
const AHEAD = 60;
const SKELETON_ROWS = 8;
/** So many links are asked about together, what is on the screen first. */
const LINKS_OF_LINES = 100;
/** Of a link; the others by pointing at their number. */
const SHOWN_TAGS = 2;

type Selection = {
  readonly selected: ReadonlyMap<string, Link>;
  readonly onChange: (selected: ReadonlyMap<string, Link>) => void;
};

type LinksTableProps = {
  readonly rows: readonly Link[];
  /** Where they come from, and more of them. */
  readonly list: Pick<
    UseInfiniteQueryResult,
    "isPending" | "isPlaceholderData" | "hasNextPage" | "isFetchingNextPage" | "fetchNextPage"
  >;
  readonly sort: LinkSort;
  readonly onSort: (sort: LinkSort) => void;
  readonly onTag: (tag: string) => void;
  readonly onMenu: (asked: AskedMenu) => void;
  /** `null` for whoever may not change links. */
  readonly selection: Selection | null;
};

type CellProps = Pick<LinkRowProps, "link" | "pages" | "tagColors" | "hasHost" | "points">;

type Column = {
  readonly label: string;
  readonly className: string;
  /** Its two orders: the one that a first press chooses, then the other one. */
  readonly sort?: readonly [LinkSort, LinkSort];
  readonly Cell: ComponentType<CellProps>;
};

const COLUMNS: readonly Column[] = [
  { label: shared.link, className: "link-cell", sort: ["slug", "-slug"], Cell: NameCell },
  { label: t.destination, className: "destination-cell", Cell: Destination },
  { label: t.status, className: "status-cell", Cell: ({ link }) => <StatusMark status={link.status} /> },
  { label: shared.clicks, className: "number-cell", sort: ["-clicks", "clicks"], Cell: Clicks },
  {
    label: t.lastClick,
    className: "date-cell",
    sort: ["-lastClickedAt", "lastClickedAt"],
    Cell: ({ link: { lastClickedAt: at } }) =>
      at === null ? (
        <span className="soft">{t.never}</span>
      ) : (
        <Time at={at} text={formatAgo(at, Date.now())} />
      ),
  },
  {
    label: shared.created,
    className: "date-cell created-cell",
    sort: ["-createdAt", "createdAt"],
    Cell: ({ link }) => <Time at={link.createdAt} text={formatDate(link.createdAt)} />,
  },
];

export function LinksTable(props: LinksTableProps) {
  const { rows, selection } = props;
  // Rows are old while the answer to another question is on its way.
  const { isPending, isPlaceholderData: isOld, hasNextPage, isFetchingNextPage, fetchNextPage } = props.list;
  const scroller = useRef<HTMLDivElement>(null);
  const router = useRouter();
  const pages = `/w/${useWorkspace().id}`;
  const [active, setActive] = useState(-1);
  const anchor = useRef(-1);
  const tagColors = useTagColors();
  const { data: domains = [] } = useQuery(domainsQuery);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
    // The head is above the first row, and stays there over the others.
    scrollMargin: HEAD_HEIGHT,
    scrollPaddingStart: HEAD_HEIGHT,
  });
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const pointsOf = usePoints(rows, isOld ? undefined : items[0]?.index, last);
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && last >= rows.length - AHEAD) {
      void fetchNextPage();
    }
  }, [hasNextPage, isFetchingNextPage, fetchNextPage, last, rows.length]);

  const choose = (index: number, isRange: boolean) => {
    if (selection === null) {
      return;
    }
    const chosen = new Map(selection.selected);
    const other = isRange && anchor.current >= 0 ? anchor.current : index;
    const some = rows.slice(Math.min(index, other), Math.max(index, other) + 1);
    const isAdding = isRange || !some.every(({ id }) => chosen.has(id));
    some.forEach((link) => (isAdding ? chosen.set(link.id, link) : chosen.delete(link.id)));
    anchor.current = index;
    selection.onChange(chosen);
  };
  const moveTo = (index: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, index));
    setActive(next);
    virtualizer.scrollToIndex(next);
  };
  const open = (href: string) => void router.navigate({ href });
  const showMenuAt = (link: Link | undefined, place?: MenuPlace) => {
    const row = link === undefined ? null : document.getElementById(`row-${link.id}`);
    if (link !== undefined && row !== null) {
      props.onMenu({ link, place: place ?? row });
    }
  };
  const onContextMenu = (event: MouseEvent<HTMLDivElement>) => {
    const row = rowOf(event.target);
    const link = rows[row === null ? active : indexOf(row)];
    // Links and text keep the browser's own menu with Shift.
    if (link === undefined || event.shiftKey) {
      return;
    }
    event.preventDefault();
    const { clientX, clientY } = event;
    const hasPlace = row !== null && (clientX > 0 || clientY > 0);
    showMenuAt(
      link,
      hasPlace ? { getBoundingClientRect: () => new DOMRect(clientX, clientY, 0, 0) } : undefined,
    );
  };
  const onClick = (event: MouseEvent<HTMLDivElement>) => {
    const row = rowOf(event.target);
    const pressed = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-act]") : null;
    const link = row === null ? undefined : rows[indexOf(row)];
    if (row === null || pressed === null || link === undefined) {
      return;
    }
    const acts: { readonly [act: string]: () => void } = {
      choose: () => choose(indexOf(row), event.shiftKey),
      tag: () => props.onTag(pressed.dataset["tag"] ?? ""),
      copy: () => void copy(link.shortUrl),
      menu: () => props.onMenu({ link, place: pressed }),
      page: () => {
        // In another tab, and whatever else a browser does with a link.
        if (!event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey) {
          event.preventDefault();
          open(pressed.getAttribute("href") ?? "");
        }
      },
    };
    acts[pressed.dataset["act"] ?? ""]?.();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    // The checkboxes and links in it have keys of their own.
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const page = Math.floor(((scroller.current?.clientHeight ?? 0) - HEAD_HEIGHT) / ROW_HEIGHT) - 1;
    const at = Math.max(0, active);
    const link = rows[at];
    const openPage = (page: string) => () => link !== undefined && open(`${pages}/${page}${link.id}`);
    const keys: { readonly [key: string]: () => unknown } = {
      ArrowDown: () => moveTo(active + 1),
      j: () => moveTo(active + 1),
      ArrowUp: () => moveTo(active - 1),
      k: () => moveTo(active - 1),
      PageDown: () => moveTo(active + page),
      PageUp: () => moveTo(active - page),
      Home: () => moveTo(0),
      End: () => moveTo(rows.length - 1),
      " ": () => choose(at, event.shiftKey),
      x: () => choose(at, event.shiftKey),
      c: () => link !== undefined && void copy(link.shortUrl),
      Enter: openPage("links/"),
      e: openPage("links/"),
      m: () => showMenuAt(link),
      a: openPage("analytics?link="),
    };
    const act = keys[event.key];
    if (act !== undefined) {
      event.preventDefault();
      act();
    }
  };
  const activeLink = rows[active];
  return (
    <div
      ref={scroller}
      className={`table-scroller ${isOld ? "old" : ""}`}
      role="grid"
      aria-label={shared.links}
      aria-rowcount={hasNextPage ? -1 : rows.length + 1}
      aria-multiselectable={selection !== null}
      aria-busy={isPending || isOld}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onClick={onClick}
      onContextMenu={onContextMenu}
      onPointerEnter={() => {
        loadOverlays();
        void import("./link-page.tsx");
      }}
      onFocus={(event) => {
        if (event.target === event.currentTarget && active < 0 && rows.length > 0) {
          setActive(0);
        }
      }}
      aria-activedescendant={activeLink && `row-${activeLink.id}`}
    >
      <HeadRow {...props} />
      {isPending ? (
        Array.from({ length: SKELETON_ROWS }, (_, index) => (
          <div key={index} className="link-row" role="row">
            <div className="skeleton" role="gridcell" style={{ gridColumn: "2 / -2", height: 20 }} />
          </div>
        ))
      ) : (
        <div role="rowgroup" className="table-body" style={{ height: virtualizer.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const link = rows[index];
            return link === undefined ? null : (
              <LinkRow
                key={link.id}
                link={link}
                index={index}
                top={start - HEAD_HEIGHT}
                isActive={index === active}
                selected={selection === null ? null : selection.selected.has(link.id)}
                pages={pages}
                tagColors={tagColors}
                hasHost={domains.length > 1}
                points={pointsOf(link.id)}
              />
            );
          })}
        </div>
      )}
    </div>
  );
}

const NO_CLICKS: readonly number[] = Array.from({ length: 30 }, () => 0);

/** The lines of the rows on the screen, and of those around them. */
function usePoints(rows: readonly Link[], first: number | undefined, last: number) {
  const groups = first === undefined ? [] : [first, last].map((index) => Math.floor(index / LINKS_OF_LINES));
  const starts = [...new Set(groups)].map((group) => group * LINKS_OF_LINES);
  const answers = useQueries({
    queries: starts.map((start) => ({
      ...linesQuery(rows.slice(start, start + LINKS_OF_LINES).map(({ id }) => id)),
      // A row that leaves makes another question: the lines of the others stay meanwhile.
      placeholderData: keepPreviousData,
    })),
  });
  const lines = answers.flatMap(({ data }) => data ?? []);
  const isKnown = answers.every(({ isSuccess, isPlaceholderData }) => isSuccess && !isPlaceholderData);
  return (id: string) =>
    lines.find((some) => some.has(id))?.get(id) ?? (isKnown && answers.length > 0 ? NO_CLICKS : undefined);
}

function HeadRow({ rows, sort, onSort, selection }: LinksTableProps) {
  const chosen = selection?.selected.size ?? 0;
  return (
    <div className="link-row head" role="row" aria-rowindex={1}>
      <div role="columnheader" className="choose-cell">
        {selection !== null && (
          <input
            type="checkbox"
            className="checkbox"
            aria-label={t.selectAllLoadedLinks(formatNumber(rows.length))}
            checked={chosen > 0 && chosen === rows.length}
            ref={(box) => {
              if (box !== null) {
                box.indeterminate = chosen > 0 && chosen < rows.length;
              }
            }}
            onChange={() =>
              selection.onChange(chosen > 0 ? new Map() : new Map(rows.map((link) => [link.id, link])))
            }
          />
        )}
      </div>
      {COLUMNS.map(({ label, className, sort: orders }) => {
        const [first, second] = orders ?? [];
        const isSorted = sort === first || sort === second;
        const Arrow = sort.startsWith("-") ? ArrowDown : ArrowUp;
        return (
          <div
            key={label}
            role="columnheader"
            className={className}
            aria-sort={!isSorted ? undefined : sort.startsWith("-") ? "descending" : "ascending"}
          >
            {first === undefined || second === undefined ? (
              label
            ) : (
              <button type="button" onClick={() => onSort(sort === first ? second : first)}>
                {label} {isSorted && <Arrow size={13} aria-hidden />}
              </button>
            )}
          </div>
        );
      })}
      <div role="columnheader">
        <span className="hidden-label">{t.actions}</span>
      </div>
    </div>
  );
}

function rowOf(target: EventTarget): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>("[id^=row-]") : null;
}

/** The first row of the table is its head. */
function indexOf(row: HTMLElement): number {
  return Number(row.ariaRowIndex) - 2;
}

type LinkRowProps = {
  readonly link: Link;
  readonly index: number;
  readonly top: number;
  readonly isActive: boolean;
  /** `null`: links can't be chosen. */
  readonly selected: boolean | null;
  /** The path of the workspace's pages. */
  readonly pages: string;
  readonly tagColors: TagColors;
  /** Whether the slug alone does not say which address it is. */
  readonly hasHost: boolean;
  readonly points: readonly number[] | undefined;
};

const LinkRow = memo(function LinkRow(props: LinkRowProps) {
  const { link, index, top, isActive, selected, ...ofCells } = props;
  return (
    <div
      id={`row-${link.id}`}
      role="row"
      aria-rowindex={index + 2}
      className={`link-row ${isActive ? "active" : ""} ${selected === true ? "selected" : ""}`}
      style={{ transform: `translateY(${top}px)` }}
      aria-selected={selected ?? undefined}
    >
      <div role="gridcell" className="choose-cell">
        {selected !== null && (
          <input
            type="checkbox"
            className="checkbox"
            aria-label={t.selectSlug(link.slug)}
            checked={selected}
            readOnly
            data-act="choose"
          />
        )}
      </div>
      {COLUMNS.map(({ label, className, Cell }) => (
        <div key={label} role="gridcell" className={className}>
          <Cell {...ofCells} link={link} />
        </div>
      ))}
      <div role="gridcell" className="actions-cell">
        <IconButton icon={Copy} label={t.copyShortUrl(link.shortUrl)} data-act="copy" />
        <IconButton
          icon={Ellipsis}
          label={t.actionsForSlug(link.slug)}
          aria-haspopup="menu"
          data-act="menu"
        />
      </div>
    </div>
  );
});

function NameCell({ link, pages, tagColors, hasHost }: CellProps) {
  const others = link.tags.slice(SHOWN_TAGS);
  return (
    <>
      <a href={`${pages}/links/${link.id}`} className="slug cut" data-act="page">
        {link.slug} {hasHost && <span className="host">{link.domain}</span>}
      </a>
      <div className="row under">
        {link.title !== null && (
          <span className="cut" dir="auto">
            {link.title}
          </span>
        )}
        {link.tags.slice(0, SHOWN_TAGS).map((tag) => (
          <button key={tag} type="button" className="chip tag" data-act="tag" data-tag={tag}>
            <TagDot color={tagColors.get(tag)} />
            <span className="cut">{tag}</span>
          </button>
        ))}
        {others.length > 0 && (
          <span className="chip tag" {...hinted(others.join(", "))}>
            +{others.length}
          </span>
        )}
      </div>
    </>
  );
}

function Clicks({ link, pages, points }: CellProps) {
  const title = t.analyticsClicksWithBots(formatNumber(link.clicks.total));
  return (
    <a href={`${pages}/analytics?link=${link.id}`} title={title} data-act="page">
      <Sparkline points={points} />
      {formatNumber(link.clicks.human)}
    </a>
  );
}

/** The path first: it tells more than the host, which many links share. */
function Destination({ link }: CellProps) {
  const [, host = "", path = ""] = /^([^/?#]*)(.*)$/.exec(formatUrl(link.url)) ?? [];
  const rules = describeRules(link);
  return (
    <>
      <a className="cut" href={link.url} target="_blank" rel="noreferrer" title={link.url}>
        {path === "" ? host : path}
      </a>
      <span className="under row">
        {rules !== "" && (
          <>
            <CornerDownRight size={13} aria-hidden />
            <span>{rules}</span>
          </>
        )}
        {path !== "" && <span className="cut">{host}</span>}
      </span>
    </>
  );
}

function describeRules({ rules, split }: Link): string {
  const ofRules = rules.length === 0 ? [] : [countOf(rules.length, "rule")];
  return [...ofRules, ...(split === null ? [] : [t.splitInCount(split.length)])].join(", ");
}
