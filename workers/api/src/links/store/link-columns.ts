/** A link as the API's statements read it: its row, its domain's host, its counts, its aliases. */
import { domains, links } from "@hopline/db/schema";
import { sql } from "drizzle-orm";
import { LINK_STATUS, type LinkStatus } from "./link-status.ts";
import { epochMs, epochMsOrNull } from "../../instant.ts";

export const STORED_STATES = ["live", "disabled", "archived", "deleted"] as const;
/** The edge does not know `archived`; it gets `disabled`. */
export type StoredState = (typeof STORED_STATES)[number];

/** A link with its domain's host and its clicks. Instants in epoch milliseconds. */
export type StoredLink = {
  readonly id: string;
  readonly domainId: string;
  readonly host: string;
  readonly slug: string;
  readonly url: string;
  readonly status: LinkStatus;
  readonly redirectStatus: number;
  readonly followsDomainStatus: boolean;
  readonly title: string | null;
  readonly tags: readonly string[];
  readonly externalId: string | null;
  readonly folderId: string | null;
  /** As written by its owner; see smart-shape.ts. */
  readonly smart: unknown;
  readonly startsAtMs: number | null;
  readonly expiresAtMs: number | null;
  readonly hasPassword: boolean;
  readonly cap: StoredCap | null;
  readonly version: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly clicks: StoredClicks;
  /** Former slugs that still lead to it, in the order in which it got them. */
  readonly aliases: readonly string[];
};

export type StoredCap = {
  readonly mode: "strict" | "fast";
  readonly maxClicks: number;
  readonly used: number;
};

export type StoredClicks = {
  readonly human: number;
  readonly total: number;
  readonly lastAtMs: number | null;
};

/** Kept with the clicks. One look-up for all of them: a page is a hundred links. */
const CLICKS = sql<StoredClicks>`coalesce((
    SELECT json_build_object('human', human, 'total', total,
      'lastAtMs', CASE WHEN isfinite(last_clicked_at) THEN round(extract(epoch FROM last_clicked_at) * 1000) END)
    FROM link_totals WHERE link_id = ${links.id}
  ), '{"human": 0, "total": 0, "lastAtMs": null}')`;

/** From `links` joined with `domains`. */
export const LINK_COLUMNS = {
  id: links.id,
  domainId: links.domainId,
  host: domains.host,
  slug: links.slug,
  url: links.url,
  status: LINK_STATUS,
  redirectStatus: sql<number>`CASE WHEN ${links.followsDomainStatus}
    THEN coalesce((${domains.settings} ->> 'redirectStatus')::integer, 302) ELSE ${links.redirectStatus} END`,
  followsDomainStatus: links.followsDomainStatus,
  title: links.title,
  tags: links.tags,
  externalId: links.externalId,
  folderId: sql<string | null>`(SELECT id FROM folders WHERE id = ${links.folderId} AND deleted_at IS NULL)`,
  smart: links.smart,
  startsAtMs: epochMsOrNull(links.startsAt),
  expiresAtMs: epochMsOrNull(links.expiresAt),
  hasPassword: sql<boolean>`${links.password} IS NOT NULL`,
  cap: sql<StoredCap | null>`(
    SELECT json_build_object('mode', mode, 'maxClicks', max_clicks, 'used', used)
    FROM link_caps WHERE link_id = ${links.id}
  )`,
  version: links.version,
  createdAtMs: epochMs(links.createdAt),
  updatedAtMs: epochMs(links.updatedAt),
  clicks: CLICKS,
  aliases: sql<string[]>`ARRAY(
    SELECT slug FROM addresses WHERE link_id = ${links.id} AND ended_at IS NULL AND slug <> ${links.slug}
    ORDER BY taken_at, slug
  )`,
};
