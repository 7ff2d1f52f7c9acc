/** Creates many links: each gets a result, one that fails takes none with it unless all or nothing is asked for. */
import { foldSlug } from "@hopline/core/link-address";
import { encodeLinkRecord } from "@hopline/core/link-record";
import { type CreateLinkDeps, defaultStatusOf, MAX_SLUG_TRIES } from "./create-link.ts";
import { hostOfDestination } from "./destination.ts";
import { newEntityId } from "./entity-id.ts";
import type { PlainLink } from "./link-shape.ts";
import { newSlug } from "./new-slug.ts";
import type { ProblemCode } from "./problem.ts";
import { failureOf, isBehindAddress } from "./store/database.ts";
import { findAddresses, type FoundAddress, insertLinks, type LinkRow } from "./store/insert-links.ts";

export type WantedLink = PlainLink & {
  /** RFC 3339; `null` for now. */
  readonly createdAt: string | null;
};

export type CreationProblem = Extract<
  ProblemCode,
  "no_domain" | "slug_taken" | "external_id_taken" | "loop" | "not_done"
>;

/** The new link's id, or why there is none. */
export type Creation =
  | { readonly isCreated: true; readonly linkId: string }
  | { readonly isCreated: false; readonly problem: CreationProblem };

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
  const found = await findAddresses(deps.database, options.workspaceId, wanted.map(toAddress));
  const results = planCreations(wanted, found);
  const hasProblem = results.some(({ isCreated }) => !isCreated);
  if (options.isAtomic && hasProblem) {
    return results.map((result) => (result.isCreated ? NOT_DONE : result));
  }
  return options.isDryRun ? results : insertPlanned({ wanted, found, results }, options, deps);
}

const NOT_DONE: Creation = { isCreated: false, problem: "not_done" };

function toAddress({ domain, slug, url, externalId }: WantedLink) {
  const foldedSlug = slug === undefined ? null : foldSlug(slug);
  const destinationHost = hostOfDestination(url);
  return { host: domain ?? null, slug: slug ?? null, foldedSlug, destinationHost, externalId };
}

/** As the domain keeps it. */
function toKeptSlug(slug: string, { ignoresCase }: FoundAddress): string {
  return ignoresCase ? foldSlug(slug) : slug;
}

/** What is known before anything is written; repetitions inside the list are met by the second one. */
function planCreations(wanted: readonly WantedLink[], found: readonly FoundAddress[]): readonly Creation[] {
  const taken = new Set<string>();
  return wanted.map((link, index) => {
    const problem = problemOf(link, found[index], taken);
    return problem === null ? { isCreated: true, linkId: newEntityId() } : { isCreated: false, problem };
  });
}

function problemOf(
  link: WantedLink,
  address: FoundAddress | undefined,
  taken: Set<string>,
): CreationProblem | null {
  if (address === undefined || address.domain === null) {
    return "no_domain";
  }
  if (address.isLoop) {
    return "loop";
  }
  const slugName = `slug ${address.domain.id} ${toKeptSlug(link.slug ?? "", address)}`;
  if (link.slug !== undefined && (address.isSlugTaken || taken.has(slugName))) {
    return "slug_taken";
  }
  const externalName = `external ${link.externalId}`;
  if (link.externalId !== null && (address.isExternalIdTaken || taken.has(externalName))) {
    return "external_id_taken";
  }
  taken.add(slugName).add(externalName);
  return null;
}

type Plan = {
  readonly wanted: readonly WantedLink[];
  /** Read again when an address has changed hands. */
  found: readonly FoundAddress[];
  readonly results: readonly Creation[];
};

async function insertPlanned(
  plan: Plan,
  options: CreateLinksOptions,
  deps: CreateLinkDeps,
): Promise<readonly Creation[]> {
  const done = new Set<string>();
  let open = plan.results.flatMap((result, index) => (result.isCreated ? [index] : []));
  // Whoever chose a slug has one try; a generated one that is taken is generated again.
  for (let attempt = 1; attempt <= MAX_SLUG_TRIES && open.length > 0; attempt += 1) {
    const rows = open.map((index) => toRow(plan, index, options.workspaceId, deps));
    const linkIds = await insertRows(rows, options, deps);
    if (linkIds === "behind") {
      plan.found = await findAddresses(deps.database, options.workspaceId, plan.wanted.map(toAddress));
      continue;
    }
    if (linkIds === "taken") {
      return plan.results.map((result) => (result.isCreated ? NOT_DONE : result));
    }
    linkIds.forEach((id) => done.add(id));
    open = open.filter((index) => {
      const result = plan.results[index];
      return result?.isCreated && !done.has(result.linkId) && plan.wanted[index]?.slug === undefined;
    });
  }
  return plan.results.map((result) =>
    result.isCreated && !done.has(result.linkId) ? { isCreated: false, problem: "slug_taken" } : result,
  );
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

function toRow(plan: Plan, index: number, workspaceId: string, deps: CreateLinkDeps): LinkRow {
  const link = plan.wanted[index];
  const address = plan.found[index];
  const result = plan.results[index];
  if (link === undefined || address === undefined || address.domain === null || !result?.isCreated) {
    throw new Error("invariant: only links that can be created are inserted");
  }
  const { url, title, tags, externalId, createdAt } = link;
  const redirectStatus = link.redirectStatus ?? defaultStatusOf(address);
  const version = address.firstVersion;
  const id = result.linkId;
  return {
    id,
    workspaceId,
    domainId: address.domain.id,
    slug: toKeptSlug(link.slug ?? newSlug(deps.randomBytes), address),
    url,
    redirectStatus,
    title,
    tags,
    externalId,
    version,
    record: encodeLinkRecord({ linkId: id, version, state: "live", url, redirectStatus }),
    createdAt,
  };
}
