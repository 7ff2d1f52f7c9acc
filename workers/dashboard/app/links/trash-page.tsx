/** Deleted links: brought back for 30 days, or destroyed earlier by who asks for it. */
import type { TrashedLink } from "@hopline/client/openapi";
import { keepPreviousData, useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Trash2, Undo2 } from "lucide-react";
import { useRef, useState } from "react";
import "../styles/links.css";
import "../styles/webhooks.css";
import { hoplineOf, useHopline } from "../caches.ts";
import { countOf, formatAgo, formatDateTime, formatNumber, formatUrl } from "../format.ts";
import { usePreferences } from "../preferences.ts";
import { useMay } from "../queries.ts";
import { compact } from "../search-params.ts";
import { PageHead } from "../shell/page-head.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Button } from "../ui/controls.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { Empty, ErrorNote, ShowMore, Skeleton } from "../ui/notes.tsx";
import { say, sayError } from "../ui/toasts.ts";
import { destroyLinks, restoreLinks } from "./change-links.ts";
import { readListsAgain } from "./link-cache.ts";
import { SearchField } from "./search-field.tsx";

const route = getRouteApi("/signed-in/w/$workspaceId/trash");
const DAY_MS = 86_400_000;
const PAGE_SIZE = 100;

/** What is destroyed: one link, or all of them. */
type Asked = TrashedLink | "all";

export function TrashPage() {
  const hopline = useHopline();
  const queryClient = useQueryClient();
  const { timeZone } = usePreferences();
  const mayRestore = useMay("editor");
  const mayDestroy = useMay("admin");
  const [asked, setAsked] = useState<Asked | null>(null);
  const table = useRef<HTMLElement>(null);
  const { q = "" } = route.useSearch();
  const navigate = useNavigate({ from: "/w/$workspaceId/trash" });
  const trash = useInfiniteQuery({
    queryKey: ["links", "trash", q],
    queryFn: ({ client, pageParam, signal }) =>
      hoplineOf(client).listTrash(
        {
          limit: PAGE_SIZE,
          ...(q === "" ? {} : { search: q }),
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextCursor,
    staleTime: 0,
    placeholderData: keepPreviousData,
  });
  const rows = trash.data?.pages.flatMap(({ data }) => data) ?? [];
  const onChanged = async () => {
    table.current?.focus();
    await Promise.all([trash.refetch(), readListsAgain(queryClient)]);
  };
  const restoring = useMutation({
    mutationFn: ({ id }: TrashedLink) => restoreLinks(hopline, [id]),
    onSuccess: async ({ restored, refusals }, { slug }) => {
      say(restored === 1 ? `${slug} is back: visitors reach it within seconds.` : refusals.join(" "));
      await onChanged();
    },
    onError: sayError,
  });
  const destroying = useMutation({
    mutationFn: (which: Asked) => destroyLinks(hopline, which === "all" ? null : [which.id]),
    onSuccess: async (destroyed) => {
      setAsked(null);
      say(`${countOf(destroyed, "link")} destroyed.`);
      await onChanged();
    },
  });
  const columns: readonly Column<TrashedLink>[] = [
    {
      name: "Link",
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
      name: "Destination",
      className: "small",
      cell: ({ url }) => (
        <div className="cut trashed" title={url}>
          {formatUrl(url)}
        </div>
      ),
    },
    { name: "Clicks", cell: ({ clicks }) => formatNumber(clicks.human) },
    {
      name: "Deleted",
      className: "small soft when",
      cell: ({ deletedAt }) => (
        <time dateTime={deletedAt} title={formatDateTime(deletedAt, timeZone)}>
          {formatAgo(deletedAt, Date.now())}
        </time>
      ),
    },
    {
      name: "Destroyed",
      className: "small when",
      cell: ({ destroyedAt, isRestorable, domain }) => (
        <>
          in {countOf(Math.max(0, Math.ceil((Date.parse(destroyedAt) - Date.now()) / DAY_MS)), "day")}
          {!isRestorable && <div className="soft">{domain} is not available: it can&rsquo;t be restored</div>}
        </>
      ),
    },
    {
      name: "Change",
      isUnnamed: true,
      cell: (link) => (
        <span className="row">
          {mayRestore && link.isRestorable && (
            <Button
              isSmall
              aria-label={`Restore ${link.slug}`}
              disabled={restoring.isPending}
              onClick={() => restoring.mutate(link)}
            >
              <Undo2 size={15} aria-hidden /> Restore
            </Button>
          )}
          {mayDestroy && (
            <Button isSmall isDanger aria-label={`Destroy ${link.slug}`} onClick={() => setAsked(link)}>
              <Trash2 size={15} aria-hidden /> Destroy
            </Button>
          )}
        </span>
      ),
    },
  ];
  return (
    <main className="page">
      <PageHead
        title="Trash"
        about="Deleted links. For 30 days they can be restored, and their addresses are kept for them."
      >
        {mayDestroy && rows.length > 0 && q === "" && (
          <Button isDanger onClick={() => setAsked("all")}>
            <Trash2 size={16} aria-hidden /> Empty trash
          </Button>
        )}
      </PageHead>
      {(rows.length > 0 || q !== "") && (
        <div className="filters">
          <SearchField
            label="Search the trash"
            placeholder="Search slug, destination, title, tags"
            q={q}
            onChange={(text) => void navigate({ search: compact({ q: text }), replace: true })}
          />
        </div>
      )}
      {trash.isPending && <Skeleton lines={5} height={36} />}
      {trash.isError && <ErrorNote error={trash.error} onRetry={() => void trash.refetch()} />}
      {trash.isSuccess && rows.length === 0 && q !== "" && <p className="soft">No deleted link matches.</p>}
      {trash.isSuccess && rows.length === 0 && q === "" && (
        <Empty icon={Trash2} title="The trash is empty">
          A link that you delete is here for 30 days before it and its clicks are destroyed.
        </Empty>
      )}
      {rows.length > 0 && (
        <section ref={table} className="card scroll-x" tabIndex={0} aria-label="Deleted links">
          <DataTable columns={columns} rows={rows} />
        </section>
      )}
      <ShowMore query={trash} />
      {asked !== null && (
        <Confirm
          title={asked === "all" ? "Destroy all links in the trash?" : `Destroy ${asked.slug}?`}
          button="Destroy"
          onConfirm={() => destroying.mutate(asked)}
          onClose={() => setAsked(null)}
          doing={destroying}
        >
          <p>
            {asked === "all"
              ? "They can't be restored any more. Their clicks leave the analytics within minutes, and their addresses are free for other links."
              : `It can't be restored any more. Its ${formatNumber(asked.clicks.total)} clicks leave the analytics within minutes, and its address is free for another link.`}
          </p>
        </Confirm>
      )}
    </main>
  );
}
