/** Creates many links: each gets a result, one that fails takes none with it unless all or nothing is asked for. */
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
import { failureOf, isBehindAddress } from "../database.ts";
import { insertLinks, type LinkRow } from "./store/insert-links.ts";

/** The new link's id, or why there is none. */
export type Creation = { readonly isCreated: true; readonly linkId: string } | Refusal;

export type CreateLinksOptions = {
  readonly workspaceId: string;
  readonly isAtomic: boolean;
  /** Says what would happen, and does nothing. */
  readonly isDryRun: boolean;
  /**
   * `all`: each link by itself, to KV and to the isolates. `arrival`: the isolates hear, in one change a domain, that links
   * came, and forget which slugs they held for unknown; each link is found in Postgres with its first click. KV, where a
   * write costs money and a free account has 1,000 a day, gets only those whose address holds a tombstone.
   */
  readonly publish: "all" | "arrival";
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

type Open = { readonly index: number; readonly plan: PlannedLink };

async function insertPlanned(
  first: Plans,
  options: CreateLinksOptions,
  deps: CreateLinkDeps,
): Promise<readonly Creation[]> {
  const plans = [...first];
  const done = new Set<string>();
  let open = listOpen(plans);
  // Whoever chose a slug has one try; a generated one that is taken is generated again.
  for (let attempt = 1; attempt <= MAX_SLUG_TRIES && open.length > 0; attempt += 1) {
    const rows = open.map(({ plan }) => toRow(plan, options.workspaceId, deps));
    const linkIds = await insertRows(rows, options, deps);
    if (linkIds === "behind") {
      open = await planAgain(open, plans, { workspaceId: options.workspaceId, deps });
    } else if (linkIds !== "taken") {
      linkIds.forEach((id) => done.add(id));
      open = open.filter(({ plan }) => !done.has(plan.linkId) && plan.link.slug === undefined);
    }
    if (linkIds === "taken" || (options.isAtomic && plans.some(({ isCreated }) => !isCreated))) {
      return holdBack(plans);
    }
  }
  return plans.map((plan) => (plan.isCreated && !done.has(plan.linkId) ? refuse("slug_taken") : plan));
}

function listOpen(plans: Plans): readonly Open[] {
  return plans.flatMap((plan, index) => (plan.isCreated ? [{ index, plan }] : []));
}

/** An address has changed hands since it was looked at: puts new plans in the place of the open ones. */
async function planAgain(
  open: readonly Open[],
  plans: (PlannedLink | Refusal)[],
  { workspaceId, deps }: { readonly workspaceId: string; readonly deps: CreateLinkDeps },
): Promise<readonly Open[]> {
  const again = await planLinks(
    open.map(({ plan }) => plan.link),
    workspaceId,
    deps,
  );
  return again.flatMap((plan, position) => {
    const index = open[position]?.index ?? -1;
    plans[index] = plan;
    return plan.isCreated ? [{ index, plan }] : [];
  });
}

/**
 * The ids that were written; nothing was where all or nothing was asked for and one is `taken` meanwhile, or where a version
 * is `behind` what was published at its address meanwhile.
 */
async function insertRows(
  rows: readonly LinkRow[],
  { isAtomic, publish }: CreateLinksOptions,
  deps: CreateLinkDeps,
): Promise<ReadonlySet<string> | "taken" | "behind"> {
  const lease = deps.publisher.newLease();
  const enqueue = rows.filter(({ version }) => publish === "all" || version > 1).map(({ id }) => id);
  try {
    const { linkIds, changes } = await insertLinks(deps.database, rows, { isAtomic, enqueue, lease });
    await deps.publisher.publish(changes, lease);
    return linkIds;
  } catch (error) {
    if (isBehindAddress(error)) {
      return "behind";
    }
    if (isAtomic && failureOf(error).sqlState === "22012") {
      return "taken";
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
