/** What visitors asked a domain for that is not there, and a link for it. Read when it is opened. */
import type { Domain } from "@hopline/client/openapi";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link as RouterLink } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import "../styles/link.css";
import { formatAgo, formatNumber } from "../format.ts";
import { ask, useMay } from "../queries.ts";
import { Button } from "../ui/controls.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Waiting } from "../ui/page.tsx";
import { t } from "./words.ts";
import { shared } from "../words.ts";
import { lazyPart } from "../ui/lazy-part.ts";

const NewLink = lazyPart(() => import("../links/new-link.tsx"), "NewLink");

export function MissedVisits({ domain: { id, host } }: { readonly domain: Domain }) {
  const queryClient = useQueryClient();
  const mayEdit = useMay("editor");
  const [isOpen, setOpen] = useState(false);
  const [making, setMaking] = useState<string | null>(null);
  const missed = useQuery({
    ...ask(["missed-visits", id], (own, options) => own.readMissedVisits({ domainId: id }, options)),
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
      <summary>{t.visitedAndNotFound}</summary>
      <div className="stack">
        {isOpen && <Waiting query={missed} lines={3} height={26} />}
        {data !== undefined && (
          <p className="soft small">
            {t.in30DaysWithoutLinkToLinks(
              data.unknown,
              formatNumber(data.ended),
              formatNumber(data.root),
              host,
            )}
          </p>
        )}
        {rows.length > 0 && (
          <DataTable
            rows={rows}
            columns={[
              { name: t.askedFor, className: "mono", cell: ({ slug }) => `/${slug}` },
              { name: t.visits, cell: ({ visits }) => formatNumber(visits) },
              { name: t.lastSeen, cell: ({ lastVisitedAt }) => formatAgo(lastVisitedAt, Date.now()) },
              {
                name: shared.link,
                isUnnamed: true,
                cell: ({ slug, linkId }) =>
                  linkId === null ? (
                    mayEdit && (
                      <Button
                        isSmall
                        label={t.createLink}
                        aria-label={t.createLinkOfSlug(slug)}
                        onClick={() => setMaking(slug)}
                      />
                    )
                  ) : (
                    <RouterLink
                      from="/w/$workspaceId"
                      to="/w/$workspaceId/links/$linkId"
                      params={{ linkId }}
                      aria-label={t.existsNowOfSlug(slug)}
                    >
                      {t.existsNow}
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
