/** Deleted links: brought back for 30 days, or destroyed earlier by who asks for it. */
import type { TrashedLink } from "@hopline/client/openapi";
import { keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Trash2, Undo2 } from "lucide-react";
import { useRef, useState } from "react";
import { countOf, formatAgo, formatNumber, formatUrl } from "../format.ts";
import { askPages, rowsOf, useMay } from "../queries.ts";
import { compact } from "../search-params.ts";
import { Confirm } from "../ui/modal.tsx";
import { Button, Time } from "../ui/controls.tsx";
import { type Column, TableCard } from "../ui/data-table.tsx";
import { Empty, PageHead, ShowMore, Waiting } from "../ui/page.tsx";
import { say } from "../ui/toasts.ts";
import { useSending } from "../use-sending.ts";
import { destroyLinks, restoreLinks } from "./change-links.ts";
import { readListsAgain } from "./link-cache.ts";
import { SearchField } from "./search-field.tsx";

const route = getRouteApi("/signed-in/w/$workspaceId/trash");
const DAY_MS = 86_400_000;
const PAGE_SIZE = 100;

/** What is destroyed: one link, or all of them. */
type Asked = TrashedLink | "all";

export function TrashPage() {
  const queryClient = useQueryClient();
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
  const onChanged = async () => {
    table.current?.focus();
    await Promise.all([trash.refetch(), readListsAgain(queryClient)]);
  };
  const restoring = useSending({
    send: (hopline, { id }: TrashedLink) => restoreLinks(hopline, [id]),
    onSent: ({ restored, refusals }, { slug }) => {
      say(restored === 1 ? `${slug} is back: visitors reach it within seconds.` : refusals.join(" "));
      return onChanged();
    },
    isBare: true,
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
      cell: ({ deletedAt: at }) => <Time at={at} text={formatAgo(at, Date.now())} />,
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
              icon={Undo2}
              label="Restore"
              isSmall
              aria-label={`Restore ${link.slug}`}
              disabled={restoring.isPending}
              onClick={() => restoring.mutate(link)}
            />
          )}
          {mayDestroy && (
            <Button
              icon={Trash2}
              label="Destroy"
              isSmall
              isDanger
              aria-label={`Destroy ${link.slug}`}
              onClick={() => setAsked(link)}
            />
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
          <Button icon={Trash2} label="Empty trash" isDanger onClick={() => setAsked("all")} />
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
      <Waiting query={trash} lines={5} height={36} />
      {trash.isSuccess && rows.length === 0 && q !== "" && <p className="soft">No deleted link matches.</p>}
      {trash.isSuccess && rows.length === 0 && q === "" && (
        <Empty icon={Trash2} title="The trash is empty">
          A link that you delete is here for 30 days before it and its clicks are destroyed.
        </Empty>
      )}
      <TableCard ref={table} label="Deleted links" columns={columns} rows={rows} />
      <ShowMore query={trash} />
      {asked !== null && (
        <Confirm
          title={asked === "all" ? "Destroy all links in the trash?" : `Destroy ${asked.slug}?`}
          button="Destroy"
          send={(hopline) => destroyLinks(hopline, asked === "all" ? null : [asked.id])}
          onSent={(destroyed) => {
            setAsked(null);
            say(`${countOf(destroyed, "link")} destroyed.`);
            return onChanged();
          }}
          onClose={() => setAsked(null)}
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
