/** What visitors asked a domain for that is not there, and a link for it. Read when it is opened. */
import type { Domain } from "@hopline/client/openapi";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { lazyRouteComponent, Link as RouterLink } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import "../styles/link.css";
import { useHopline } from "../caches.ts";
import { countOf, formatAgo, formatNumber } from "../format.ts";
import { useMay } from "../queries.ts";
import { Button } from "../ui/controls.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Waiting } from "../ui/page.tsx";

const NewLink = lazyRouteComponent(() => import("../links/new-link.tsx"), "NewLink");

export function MissedVisits({ domain: { id, host } }: { readonly domain: Domain }) {
  const hopline = useHopline();
  const queryClient = useQueryClient();
  const mayEdit = useMay("editor");
  const [isOpen, setOpen] = useState(false);
  const [making, setMaking] = useState<string | null>(null);
  const missed = useQuery({
    queryKey: ["missed-visits", id],
    queryFn: ({ signal }) => hopline.readMissedVisits({ domainId: id }, { signal }),
    enabled: isOpen,
  });
  const { data } = missed;
  const close = () => {
    setMaking(null);
    void queryClient.invalidateQueries({ queryKey: ["missed-visits", id] });
  };
  const rows = data?.slugs.map((asked) => ({ id: asked.slug, ...asked })) ?? [];
  return (
    <details className="fold" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Visited and not found</summary>
      <div className="stack">
        {isOpen && <Waiting query={missed} lines={3} height={26} />}
        {data !== undefined && (
          <p className="soft small">
            In 30 days: {countOf(data.unknown, "visit")} without a link, {formatNumber(data.ended)} to links
            that have ended, {formatNumber(data.root)} to {host} itself.
          </p>
        )}
        {rows.length > 0 && (
          <DataTable
            rows={rows}
            columns={[
              { name: "Asked for", className: "mono", cell: ({ slug }) => `/${slug}` },
              { name: "Visits", cell: ({ visits }) => formatNumber(visits) },
              { name: "Last seen", cell: ({ lastVisitedAt }) => formatAgo(lastVisitedAt, Date.now()) },
              {
                name: "Link",
                isUnnamed: true,
                cell: ({ slug, linkId }) =>
                  linkId === null ? (
                    mayEdit && (
                      <Button
                        isSmall
                        label="Create link"
                        aria-label={`Create link ${slug}`}
                        onClick={() => setMaking(slug)}
                      />
                    )
                  ) : (
                    <RouterLink
                      from="/w/$workspaceId"
                      to="/w/$workspaceId/links/$linkId"
                      params={{ linkId }}
                      aria-label={`${slug} exists now`}
                    >
                      Exists now
                    </RouterLink>
                  ),
              },
            ]}
          />
        )}
      </div>
      <Suspense>
        {making !== null && (
          <NewLink copied={null} address={{ domain: host, slug: making }} onClose={close} />
        )}
      </Suspense>
    </details>
  );
}
