/** The addresses of a link that has former ones: how many people came through each, and releasing one that is in print no more. */
import type { Alias, Link } from "@hopline/client/openapi";
import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useState } from "react";
import { countOf, formatAgo, formatNumber } from "../format.ts";
import { ask, useMay } from "../queries.ts";
import { IconButton } from "../ui/controls.tsx";
import { Confirm } from "../ui/modal.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Waiting } from "../ui/page.tsx";
import { readLink, type ReadLink } from "./link-cache.ts";
import { t } from "./editor-words.ts";

type LinkAddressesProps = {
  readonly link: Link;
  /** Something is typed that is not saved yet: the newer link would replace it. */
  readonly isEdited: boolean;
  readonly onReleased: (newer: ReadLink) => void;
};

export function LinkAddresses({ link, isEdited, onReleased }: LinkAddressesProps) {
  const mayEdit = useMay("editor");
  const [asked, setAsked] = useState<Alias | null>(null);
  const addresses = useQuery(
    // A released alias is another version.
    ask(["link", link.id, "aliases", link.version], async (hopline, options) => {
      const [{ data: aliases }, { clicks }] = await Promise.all([
        hopline.listAliases({ linkId: link.id }, options),
        hopline.readTotals({ link: [link.id], period: "last30Days" }, options),
      ]);
      return { aliases, ofSlug: clicks - aliases.reduce((sum, alias) => sum + alias.clicks, 0) };
    }),
  );
  const { data } = addresses;
  const rows = (data?.aliases ?? []).map((alias) => ({ id: alias.slug, ...alias }));
  return (
    <section className="card stack" aria-label={t.addresses}>
      <h2>{t.addresses}</h2>
      <Waiting query={addresses} lines={3} height={26} />
      {data !== undefined && (
        <p className="soft small">{t.in30DaysCameThroughOthers(Math.max(0, data.ofSlug), link.slug)}</p>
      )}
      {rows.length > 0 && (
        <DataTable
          rows={rows}
          columns={[
            { name: t.formerSlug, className: "mono", cell: ({ slug }) => `/${slug}` },
            { name: t.clicksIn30Days, cell: ({ clicks }) => formatNumber(clicks) },
            {
              name: t.lastClick,
              cell: ({ lastClickedAt }) =>
                lastClickedAt === null ? "" : formatAgo(lastClickedAt, Date.now()),
            },
            {
              name: t.release,
              isUnnamed: true,
              cell: (alias) =>
                mayEdit && (
                  <IconButton
                    icon={X}
                    label={t.releaseSlug(alias.slug)}
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
      title={t.askReleaseSlug(slug)}
      button={t.releaseSlugButton}
      send={async (hopline) => {
        // Clicks that came since the list was read are asked about.
        const confirm = clicks > 0 ? { confirm: "clicks" as const } : {};
        await hopline.deleteAlias({ linkId: link.id, alias: slug, ...confirm });
        return readLink(hopline, link.id);
      }}
      said={t.slugReleased(slug)}
      onSent={(newer) => {
        onClose();
        onReleased(newer);
      }}
      onClose={onClose}
    >
      {clicks > 0 && lastClickedAt !== null && (
        <p>
          <strong>{countOf(clicks, "click")}</strong>{" "}
          {t.cameThroughItInLast30Days(formatAgo(lastClickedAt, Date.now()))}
        </p>
      )}
      <p>{t.visitorsAddressGet404}</p>
    </Confirm>
  );
}
