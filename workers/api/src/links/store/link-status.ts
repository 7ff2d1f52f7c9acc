/**
 * A link's status: what its owner set (live, disabled, archived), and of a live one what its schedule and its cap make of it. The
 * order is the redirect's (packages/core/src/link/outcome.ts), the clock the database's.
 */
import { links } from "@hopline/db/schema";
import { type SQL, sql } from "drizzle-orm";

/** What an owner can set. */
export const OWN_STATUSES = ["live", "disabled", "archived"] as const;
export type OwnStatus = (typeof OWN_STATUSES)[number];

export const LINK_STATUSES = [
  "live",
  "scheduled",
  "disabled",
  "archived",
  "expired",
  "used-up",
] as const satisfies readonly (OwnStatus | string)[];
export type LinkStatus = (typeof LINK_STATUSES)[number];

export function isOwnStatus(status: LinkStatus | undefined): status is OwnStatus {
  return OWN_STATUSES.some((own) => own === status);
}

// Not EXISTS: the planner would read the caps of all workspaces, once, instead of one for each link.
const IS_USED_UP = sql`coalesce((SELECT used >= max_clicks FROM link_caps WHERE link_id = ${links.id}), false)`;

/** In a statement that joins `domains`: drizzle omits the table's name in one without joins. */
export const LINK_STATUS = sql<LinkStatus>`CASE
  WHEN ${links.state} <> 'live' THEN ${links.state}
  WHEN ${links.expiresAt} <= now() THEN 'expired'
  WHEN ${links.startsAt} > now() THEN 'scheduled'
  WHEN ${IS_USED_UP} THEN 'used-up'
  ELSE 'live' END`;

const IS_LIVE = sql`${links.state} = 'live'`;
const IS_UNEXPIRED = sql`(${links.expiresAt} IS NULL OR ${links.expiresAt} > now())`;
const IS_OPEN = sql`${IS_LIVE} AND ${IS_UNEXPIRED} AND (${links.startsAt} IS NULL OR ${links.startsAt} <= now())`;

/**
 * The same as conditions, in the words of the indexes (links_by_rare_state, links_by_schedule, link_caps_by_workspace): rare ones
 * must not read all other links.
 */
const CONDITIONS: { readonly [Status in Exclude<LinkStatus, "used-up">]: SQL } = {
  live: sql`${IS_OPEN} AND NOT ${IS_USED_UP}`,
  scheduled: sql`${IS_LIVE} AND ${links.startsAt} > now() AND ${IS_UNEXPIRED}`,
  disabled: sql`${links.state} = 'disabled'`,
  archived: sql`${links.state} = 'archived'`,
  expired: sql`${IS_LIVE} AND ${links.expiresAt} <= now()`,
};

function selectUsedUp(workspaceId: string): SQL {
  return sql`SELECT link_id FROM link_caps WHERE workspace_id = ${workspaceId}::uuid AND used >= max_clicks`;
}

/** Links with any of these; all but archived and deleted ones for none. */
export function hasStatus(workspaceId: string, statuses: readonly LinkStatus[]): SQL {
  if (statuses.length === 0) {
    return sql`${links.state} IN ('live', 'disabled')`;
  }
  if (isOnlyUsedUp(statuses)) {
    // An array: the planner would rather read all links, and look which of them are among these.
    return sql`${IS_OPEN} AND ${links.id} = ANY(ARRAY(${selectUsedUp(workspaceId)}))`;
  }
  return sql`(${sql.join(
    [...new Set(statuses)].map((status) =>
      status === "used-up"
        ? sql`(${IS_OPEN} AND ${links.id} IN (${selectUsedUp(workspaceId)}))`
        : sql`(${CONDITIONS[status]})`,
    ),
    sql` OR `,
  )})`;
}

/** Found by their caps, and not by reading links. */
export function isOnlyUsedUp(statuses: readonly LinkStatus[]): boolean {
  return statuses.length > 0 && statuses.every((status) => status === "used-up");
}
