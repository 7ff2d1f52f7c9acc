/** The addresses of a link that has former ones: how many people came through each, and releasing one that is in print no more. */
import type { Alias, Link } from "@hopline/client/openapi";
import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useState } from "react";
import { useHopline } from "../caches.ts";
import { countOf, formatAgo, formatNumber } from "../format.ts";
import { useMay } from "../queries.ts";
import { IconButton } from "../ui/controls.tsx";
import { Confirm } from "../ui/modal.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Waiting } from "../ui/page.tsx";
import { readLink, type ReadLink } from "./link-cache.ts";

type LinkAddressesProps = {
  readonly link: Link;
  /** Something is typed that is not saved yet: the newer link would replace it. */
  readonly isEdited: boolean;
  readonly onReleased: (newer: ReadLink) => void;
};

export function LinkAddresses({ link, isEdited, onReleased }: LinkAddressesProps) {
  const hopline = useHopline();
  const mayEdit = useMay("editor");
  const [asked, setAsked] = useState<Alias | null>(null);
  const addresses = useQuery({
    // A released alias is another version.
    queryKey: ["link", link.id, "aliases", link.version],
    queryFn: async ({ signal }) => {
      const [{ data: aliases }, { clicks }] = await Promise.all([
        hopline.listAliases({ linkId: link.id }, { signal }),
        hopline.readTotals({ link: [link.id], period: "last30Days" }, { signal }),
      ]);
      return { aliases, ofSlug: clicks - aliases.reduce((sum, alias) => sum + alias.clicks, 0) };
    },
  });
  const { data } = addresses;
  const rows = (data?.aliases ?? []).map((alias) => ({ id: alias.slug, ...alias }));
  return (
    <section className="card stack" aria-label="Addresses">
      <h2>Addresses</h2>
      <Waiting query={addresses} lines={3} height={26} />
      {data !== undefined && (
        <p className="soft small">
          {countOf(Math.max(0, data.ofSlug), "click")} in 30 days came through /{link.slug}, others through
          its former slugs:
        </p>
      )}
      {rows.length > 0 && (
        <DataTable
          rows={rows}
          columns={[
            { name: "Former slug", className: "mono", cell: ({ slug }) => `/${slug}` },
            { name: "Clicks in 30 days", cell: ({ clicks }) => formatNumber(clicks) },
            {
              name: "Last click",
              cell: ({ lastClickedAt }) =>
                lastClickedAt === null ? "" : formatAgo(lastClickedAt, Date.now()),
            },
            {
              name: "Release",
              isUnnamed: true,
              cell: (alias) =>
                mayEdit && (
                  <IconButton
                    icon={X}
                    label={`Release ${alias.slug}`}
                    disabled={isEdited}
                    onClick={() => setAsked(alias)}
                  />
                ),
            },
          ]}
        />
      )}
      {asked !== null && (
        <Release link={link} alias={asked} onReleased={onReleased} onClose={() => setAsked(null)} />
      )}
    </section>
  );
}

type ReleaseProps = Pick<LinkAddressesProps, "link" | "onReleased"> & {
  readonly alias: Alias;
  readonly onClose: () => void;
};

function Release({ link, alias: { slug, clicks, lastClickedAt }, onReleased, onClose }: ReleaseProps) {
  return (
    <Confirm
      title={`Release /${slug}?`}
      button="Release the slug"
      send={async (hopline) => {
        // Clicks that came since the list was read are asked about.
        const confirm = clicks > 0 ? { confirm: "clicks" as const } : {};
        await hopline.deleteAlias({ linkId: link.id, alias: slug, ...confirm });
        return readLink(hopline, link.id);
      }}
      said={`/${slug} released.`}
      onSent={(newer) => {
        onClose();
        onReleased(newer);
      }}
      onClose={onClose}
    >
      {clicks > 0 && lastClickedAt !== null && (
        <p>
          <strong>{countOf(clicks, "click")}</strong> came through it in the last 30 days, the last one{" "}
          {formatAgo(lastClickedAt, Date.now())}: it may still be in print.
        </p>
      )}
      <p>Visitors of the address get a 404 within seconds, and another link may take it.</p>
    </Confirm>
  );
}
