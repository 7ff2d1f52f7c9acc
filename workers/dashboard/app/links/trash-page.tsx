/** Deleted links: brought back for 30 days, or destroyed earlier by who asks for it. */
import type { TrashedLink } from "@hopline/client/openapi";
import { keepPreviousData, type QueryClient, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Trash2, Undo2 } from "lucide-react";
import { useRef, useState } from "react";
import { formatAgo, formatNumber, formatUrl } from "../format.ts";
import { askPages, rowsOf, useMay } from "../queries.ts";
import { compact } from "../search-params.ts";
import { Confirm } from "../ui/modal.tsx";
import { Button, Time } from "../ui/controls.tsx";
import { type Column, TableCard } from "../ui/data-table.tsx";
import { Empty, PageHead, ShowMore, Waiting } from "../ui/page.tsx";
import { say } from "../ui/toasts.ts";
import { useSending } from "../use-sending.ts";
import { deleteLinks, emptyTrash, restoreLinks } from "./change-links.ts";
import { readListsAgain } from "./link-cache.ts";
import { SearchField } from "./search-field.tsx";
import { t } from "./words.ts";
import { shared } from "../words.ts";

const route = getRouteApi("/signed-in/w/$workspaceId/trash");
const DAY_MS = 86_400_000;
const PAGE_SIZE = 100;

/** What is destroyed: one link, or all of them. */
type Asked = TrashedLink | "all";

export function TrashPage() {
  const mayRestore = useMay("editor");
  const mayDestroy = useMay("admin");
  const [asked, setAsked] = useState<Asked | null>(null);
  const table = useRef<HTMLElement>(null);
  const { q = "" } = route.useSearch();
  const navigate = useNavigate({ from: "/w/$workspaceId/trash" });
  const trash = useInfiniteQuery({
    ...askPages(["links", "trash", q], (hopline, page, options) =>
      hopline.listTrash({ limit: PAGE_SIZE, ...(q === "" ? {} : { search: q }), ...page }, options),
    ),
    staleTime: 0,
    placeholderData: keepPreviousData,
  });
  const rows = rowsOf(trash);
  const onChanged = (cache: QueryClient) => {
    table.current?.focus();
    return readListsAgain(cache);
  };
  const restoring = useSending({
    send: (hopline, { id }: TrashedLink) => restoreLinks(hopline, [id]),
    onSent: ({ restored, refusals }, { slug }, cache) => {
      say(restored === 1 ? t.isBackVisitorsReach(slug) : refusals.join(" "));
      return onChanged(cache);
    },
    isBare: true,
  });
  const columns: readonly Column<TrashedLink>[] = [
    {
      name: shared.link,
      cell: ({ slug, title, domain }) => (
        <>
          <strong className="cut trashed">{slug}</strong>
          <div className="small soft cut trashed" dir="auto">
            {title ?? domain}
          </div>
        </>
      ),
    },
    {
      name: t.destination,
      className: "small",
      cell: ({ url }) => (
        <div className="cut trashed" title={url}>
          {formatUrl(url)}
        </div>
      ),
    },
    { name: shared.clicks, className: "small", cell: ({ clicks }) => formatNumber(clicks.human) },
    {
      name: t.deletedColumn,
      className: "small soft when",
      cell: ({ deletedAt: at }) => <Time at={at} text={formatAgo(at, Date.now())} />,
    },
    {
      name: t.destroyed,
      className: "small when",
      cell: ({ destroyedAt, isRestorable, domain }) => (
        <>
          {t.in(Math.max(0, Math.ceil((Date.parse(destroyedAt) - Date.now()) / DAY_MS)))}
          {!isRestorable && <div className="soft">{t.isNotAvailable(domain)}</div>}
        </>
      ),
    },
    {
      name: shared.change,
      isUnnamed: true,
      cell: (link) => (
        <span className="row">
          {mayRestore && link.isRestorable && (
            <Button
              icon={Undo2}
              label={t.restore}
              isSmall
              aria-label={t.restoreSlug(link.slug)}
              disabled={restoring.isPending}
              onClick={() => restoring.mutate(link)}
            />
          )}
          {mayDestroy && (
            <Button
              icon={Trash2}
              label={t.destroy}
              isSmall
              isDanger
              aria-label={t.destroySlug(link.slug)}
              onClick={() => setAsked(link)}
            />
          )}
        </span>
      ),
    },
  ];
  return (
    <main className="page">
      <PageHead title={t.trash} about={t.deletedLinksFor30Days}>
        {mayDestroy && rows.length > 0 && q === "" && (
          <Button icon={Trash2} label={t.emptyTrash} isDanger onClick={() => setAsked("all")} />
        )}
      </PageHead>
      {(rows.length > 0 || q !== "") && (
        <div className="row wrap filters">
          <SearchField
            label={t.searchTrash}
            placeholder={t.searchSlugDestinationTitle}
            q={q}
            onChange={(text) => void navigate({ search: compact({ q: text }), replace: true })}
          />
        </div>
      )}
      <Waiting query={trash} lines={5} height={36} />
      {trash.isSuccess && rows.length === 0 && q !== "" && <p className="soft">{t.noDeletedLinkMatches}</p>}
      {trash.isSuccess && rows.length === 0 && q === "" && (
        <Empty icon={Trash2} title={t.trashIsEmpty}>
          {t.linkThatYouDeleteIsHere}
        </Empty>
      )}
      <TableCard ref={table} label={t.deletedLinks} columns={columns} rows={rows} />
      <ShowMore query={trash} />
      {asked !== null && (
        <Confirm
          title={asked === "all" ? t.askDestroyAllLinksInTrash : t.askDestroySlug(asked.slug)}
          button={t.destroy}
          send={(hopline) =>
            asked === "all" ? emptyTrash(hopline) : deleteLinks(hopline, [asked], { clicks: "delete" })
          }
          said={(destroyed) => t.destroyedOfDestroyed(destroyed.length)}
          onSent={(_destroyed, _given, cache) => {
            setAsked(null);
            return onChanged(cache);
          }}
          onClose={() => setAsked(null)}
        >
          <p>
            {asked === "all"
              ? t.theyCantBeRestoredAnyMore
              : t.itCantBeRestoredAnyMore(formatNumber(asked.clicks.total))}
          </p>
        </Confirm>
      )}
    </main>
  );
}
