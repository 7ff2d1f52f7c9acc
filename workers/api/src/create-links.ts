/** Creates many links: each gets a result, one that fails takes none with it unless all or nothing is asked for. */
import { toDatabaseFailure } from "@hopline/db/database-failure";
import { type CreateLinkDeps, MAX_SLUG_TRIES } from "./create-link.ts";
import { defaultStatusOf } from "./default-status.ts";
import { newSlug } from "./new-slug.ts";
import {
  type PlannedLink,
  planLinks,
  type Refusal,
  refuse,
  toKeptSlug,
  type WantedLink,
} from "./plan-links.ts";
import { insertLinks, type LinkRow } from "./store/insert-links.ts";

/** The new link's id, or why there is none. */
export type Creation = { readonly isCreated: true; readonly linkId: string } | Refusal;

export type CreateLinksOptions = {
  readonly workspaceId: string;
  readonly isAtomic: boolean;
  /** Says what would happen, and does nothing. */
  readonly isDryRun: boolean;
  /**
   * `none`: the edge is told only of addresses where a tombstone lies; it finds the others in Postgres with their
   * first click. For imports, whose links nobody has asked for yet.
   */
  readonly publish: "all" | "none";
};

/** One result for each link, in their order. Rejects when the database can't be reached; then nothing was created. */
export async function createLinks(
  wanted: readonly WantedLink[],
  options: CreateLinksOptions,
  deps: CreateLinkDeps,
): Promise<readonly Creation[]> {
  const plans = await planLinks(wanted, options.workspaceId, deps);
  if (options.isAtomic && plans.some(({ isCreated }) => !isCreated)) {
    return holdBack(plans);
  }
  return options.isDryRun ? plans : insertPlanned(plans, options, deps);
}

type Plans = readonly (PlannedLink | Refusal)[];

function holdBack(plans: Plans): readonly Refusal[] {
  return plans.map((plan) => (plan.isCreated ? refuse("not_done") : plan));
}

async function insertPlanned(
  plans: Plans,
  options: CreateLinksOptions,
  deps: CreateLinkDeps,
): Promise<readonly Creation[]> {
  const done = new Set<string>();
  let open = plans.filter((plan) => plan.isCreated);
  // Whoever chose a slug has one try; a generated one that is taken is generated again.
  for (let attempt = 1; attempt <= MAX_SLUG_TRIES && open.length > 0; attempt += 1) {
    const rows = open.map((plan) => toRow(plan, options.workspaceId, deps));
    const linkIds = await insertRows(rows, options, deps);
    if (linkIds === null) {
      return holdBack(plans);
    }
    linkIds.forEach((id) => done.add(id));
    open = open.filter(({ linkId, link }) => !done.has(linkId) && link.slug === undefined);
  }
  return plans.map((plan) => (plan.isCreated && !done.has(plan.linkId) ? refuse("slug_taken") : plan));
}

/** The ids that were written; `null` when all or nothing was asked for and one was taken meanwhile. */
async function insertRows(
  rows: readonly LinkRow[],
  options: CreateLinksOptions,
  deps: CreateLinkDeps,
): Promise<ReadonlySet<string> | null> {
  const lease = deps.publisher.newLease();
  const enqueue = rows.filter(({ version }) => options.publish === "all" || version > 1).map(({ id }) => id);
  try {
    const { linkIds, changes } = await insertLinks(deps.database, rows, {
      isAtomic: options.isAtomic,
      enqueue,
      lease,
    });
    await deps.publisher.publish(changes, lease);
    return linkIds;
  } catch (error) {
    const isTaken =
      toDatabaseFailure(error instanceof Error ? (error.cause ?? error) : error).sqlState === "22012";
    if (options.isAtomic && isTaken) {
      return null;
    }
    throw error;
  }
}

function toRow(plan: PlannedLink, workspaceId: string, deps: CreateLinkDeps): LinkRow {
  const { linkId: id, link, address, smart, record } = plan;
  const { url, title, tags, externalId, createdAt, state, usedClicks } = link;
  return {
    id,
    workspaceId,
    domainId: address.domain.id,
    slug: toKeptSlug(link.slug ?? newSlug(deps.randomBytes), address),
    url,
    state,
    redirectStatus: link.redirectStatus ?? defaultStatusOf(address),
    followsDomainStatus: link.redirectStatus === undefined,
    title,
    tags,
    externalId,
    version: address.firstVersion,
    record,
    smart,
    usedClicks,
    createdAt,
  };
}
