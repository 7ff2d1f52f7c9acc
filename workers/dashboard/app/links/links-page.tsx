/** All links of the workspace: found, ordered, chosen, changed. */
import { useInfiniteQuery, useQuery, useQueryClient, keepPreviousData } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { Link } from "@hopline/client/openapi";
import { Link2, Plus, RotateCw } from "lucide-react";
import { Suspense, useMemo, useRef, useState } from "react";
import { countOf } from "../format.ts";
import { useMay } from "../queries.ts";
import { compact, stringifySearch } from "../search-params.ts";
import { Button, CsvLink, IconButton } from "../ui/controls.tsx";
import { loadOverlays } from "../ui/load-overlays.ts";
import { Empty, ErrorNote, PageHead } from "../ui/page.tsx";
import { useShortcuts } from "../ui/use-shortcuts.ts";
import { FirstStep, LinksNeedDomain, useFirstStep } from "./first-domain.tsx";
import { linkCountQuery, linkListQuery, readListsAgain } from "./link-cache.ts";
import { LinkFilters } from "./link-filters.tsx";
import { type ClearableSearch, hasFilter, toFilter } from "./links-search.ts";
import type { AskedMenu } from "./link-menu.tsx";
import { LinksTable } from "./links-table.tsx";
import { t } from "./words.ts";
import { shared } from "../words.ts";
import { lazyPart } from "../ui/lazy-part.ts";

const route = getRouteApi("/signed-in/w/$workspaceId/links");
// Asked for later, if at all: the list comes first.
const BulkBar = lazyPart(() => import("./bulk-bar.tsx"), "BulkBar");
const NewLink = lazyPart(() => import("./new-link.tsx"), "NewLink");
const LinkMenu = lazyPart(() => import("./link-menu.tsx"), "LinkMenu");
const ConfirmDelete = lazyPart(() => import("./confirm-delete.tsx"), "ConfirmDelete");
const NEW = { copied: null };
const TABLE_KEYS = ["j", "k", "x", "e", "c", "a", "m", "ArrowDown", "ArrowUp"];
const NOTHING: ReadonlyMap<string, Link> = new Map();

export function LinksPage() {
  const search = route.useSearch();
  const { workspaceId: workspace } = route.useParams();
  const navigate = useNavigate({ from: "/w/$workspaceId/links" });
  const queryClient = useQueryClient();
  const mayEdit = useMay("editor");
  const mayMake = useFirstStep() === null && mayEdit;
  /** A new link, or one that begins as a copy. */
  const [making, setMaking] = useState<{ readonly copied: Link | null } | null>(null);
  const [asked, setAsked] = useState<AskedMenu | null>(null);
  const [deleted, setDeleted] = useState<Link | null>(null);
  const [selected, setSelected] = useState(NOTHING);
  const searchField = useRef<HTMLInputElement>(null);
  const list = useInfiniteQuery({ ...linkListQuery(search), placeholderData: keepPreviousData });
  const count = useQuery({ ...linkCountQuery(search), placeholderData: keepPreviousData });
  const rows = useMemo(() => (list.data?.pages ?? []).flatMap(({ data }) => data), [list.data]);
  const change = (part: ClearableSearch) => {
    setSelected(NOTHING);
    // Back undoes a filter; each letter of a search is no step of its own.
    void navigate({ search: (before) => compact({ ...before, ...part }), replace: "q" in part });
  };
  const grid = () => document.querySelector<HTMLElement>("[role=grid]");
  /** The table has the keys once it has the focus; before that they are passed on to it. */
  const toTable = (event: KeyboardEvent) => {
    const { key, shiftKey } = event;
    const table = grid();
    if (table !== null && event.target === document.body) {
      table.focus();
      table.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey, bubbles: true }));
    }
  };
  useShortcuts({
    "/": () => searchField.current?.focus(),
    n: () => setMaking(mayMake ? NEW : null),
    ...Object.fromEntries(TABLE_KEYS.map((key) => [key, toTable])),
  });
  const clearSelection = () => {
    setSelected(NOTHING);
    grid()?.focus();
  };
  const isEmpty = list.isSuccess && rows.length === 0;
  return (
    <main className="page links-page">
      <PageHead title={shared.links} about={count.isError ? "" : describeCount(count.data)}>
        <IconButton
          isLarge
          icon={RotateCw}
          label={t.refresh}
          onClick={() => void readListsAgain(queryClient)}
        />
        <CsvLink
          href={`/api/v1/links/export${stringifySearch({ workspace, ...toFilter(search), format: "csv" })}`}
        />
        {mayMake && (
          <Button icon={Plus} label={shared.newLink} kind="primary" onClick={() => setMaking(NEW)} />
        )}
      </PageHead>
      <LinkFilters search={search} onChange={change} searchField={searchField} />
      {list.isError && <ErrorNote error={list.error} onRetry={() => void list.refetch()} />}
      {isEmpty ? (
        <NoLinks
          isFiltered={hasFilter(search)}
          onClear={() => void navigate({ search: {} })}
          onNew={mayMake ? () => setMaking(NEW) : null}
        />
      ) : (
        !list.isError && (
          <LinksTable
            rows={rows}
            list={list}
            sort={search.sort ?? "-createdAt"}
            onSort={(sort) => change({ sort })}
            onMenu={(menu) => {
              loadOverlays();
              setAsked(menu);
            }}
            onTag={(tag) => change({ tag: [...new Set([...(search.tag ?? []), tag])] })}
            selection={mayEdit ? { selected, onChange: setSelected } : null}
          />
        )
      )}
      <Suspense>
        {selected.size > 0 && <BulkBar selected={[...selected.values()]} onDone={clearSelection} />}
        {making !== null && <NewLink copied={making.copied} onClose={() => setMaking(null)} />}
        {asked !== null && (
          <LinkMenu
            asked={asked}
            onClose={() => setAsked(null)}
            onDuplicate={(copied) => setMaking({ copied })}
            onDelete={setDeleted}
          />
        )}
        {deleted !== null && (
          <ConfirmDelete links={[deleted]} onClose={() => setDeleted(null)} onDeleted={clearSelection} />
        )}
      </Suspense>
    </main>
  );
}

function describeCount(count: { readonly links: number; readonly isExact: boolean } | undefined): string {
  return count === undefined ? t.counting : `${countOf(count.links, "link")}${count.isExact ? "" : t.orMore}`;
}

type NoLinksProps = {
  readonly isFiltered: boolean;
  readonly onClear: () => void;
  readonly onNew: (() => void) | null;
};

function NoLinks({ isFiltered, onClear, onNew }: NoLinksProps) {
  const needsDomain = useFirstStep() !== null;
  if (isFiltered) {
    return (
      <Empty title={t.noLinkMatches} action={<Button label={t.removeAllFilters} onClick={onClear} />}>
        {t.linkIsShownWhenEveryWord}
      </Empty>
    );
  }
  const create = onNew !== null && <Button label={t.createYourFirstLink} kind="primary" onClick={onNew} />;
  return (
    <Empty icon={Link2} title={t.noLinksYet} action={create || <FirstStep />}>
      {needsDomain ? <LinksNeedDomain /> : t.linkGivesLongAddressShort}
    </Empty>
  );
}
