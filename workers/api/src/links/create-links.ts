/** Creates links: plans them, inserts those that are free, publishes them. Each gets a result of its own. */
import { sql } from "drizzle-orm";
import { type Database, failureOf, isBehindAddress } from "../database.ts";
import { newEntityId } from "../http/entity-id.ts";
import type { NewIds } from "../http/new-ids.ts";
import { invalidField, ProblemError } from "../http/problem.ts";
import type { Publisher } from "../publishing/publish-changes.ts";
import { defaultStatusOf } from "./compile-record.ts";
import { LOOP_MESSAGE, requireDestination } from "./destination.ts";
import type { CreateLink } from "./link-shape.ts";
import { newSlug } from "./new-slug.ts";
import {
  type PlannedLink,
  planLinks,
  type Refusal,
  refuse,
  toStoredSlug,
  type WantedLink,
} from "./plan-links.ts";
import type { SmartDeps } from "./smart-change.ts";
import { insertLinks, type LinkRow } from "./store/insert-links.ts";

export type CreateLinksDeps = SmartDeps & {
  readonly database: Database;
  readonly publisher: Publisher;
  readonly randomBytes: (count: number) => Uint8Array;
};

/** A collision of generated slugs is one in a billion; several in a row are a fault. The same goes for a race for an address. */
const MAX_TRIES = 5;

/** The id of the new link. Throws `ProblemError` when it can't be created. */
export async function createLink(
  { workspaceId, ids }: Pick<CreateLinksOptions, "workspaceId" | "ids">,
  body: CreateLink,
  deps: CreateLinksDeps,
): Promise<string> {
  const url = requireDestination(body.url, "url", deps.appSchemes);
  const wanted: WantedLink = { ...body, url, state: "live", createdAt: null, usedClicks: 0 };
  const options = { workspaceId, ids, isAtomic: false, isDryRun: false, publish: "all" } as const;
  const [created] = await createLinks([wanted], options, deps);
  if (created === undefined) {
    throw new Error("invariant: one wanted link has one result");
  }
  if (!created.isCreated) {
    throw toProblem(created);
  }
  return created.linkId;
}

function toProblem({ problem, errors }: Refusal): ProblemError {
  switch (problem) {
    case "loop":
      return invalidField("url", LOOP_MESSAGE);
    case "no_domain":
      return new ProblemError(problem, [
        { path: "domain", message: "does not exist: create the domain first, or leave this out" },
      ]);
    case "slug_taken":
      return new ProblemError(problem, [{ path: "slug", message: "is taken: choose another one" }]);
    case "external_id_taken":
      return new ProblemError(problem, [{ path: "externalId", message: "is taken: choose another one" }]);
    case "domain_pending":
    case "invalid":
    case "not_done":
      return new ProblemError(problem, errors);
  }
}

/** The new link's id, or why it was not created. */
export type Creation = { readonly isCreated: true; readonly linkId: string } | Refusal;

export type CreateLinksOptions = {
  readonly workspaceId: string;
  readonly ids: NewIds;
  /** All links or none. */
  readonly isAtomic: boolean;
  /** Says what would happen, and changes nothing. */
  readonly isDryRun: boolean;
  /**
   * `all`: every link goes to KV and to the isolates. `arrival`: isolates get one change per domain, saying that links
   * arrived, and forget which slugs they held as unknown; each link is found in Postgres at its first click. KV gets only
   * links whose address holds a tombstone: a write there costs money, and a free account has 1,000 a day.
   */
  readonly publish: "all" | "arrival";
};

/**
 * One result for each link, in their order; those that an earlier attempt of the same request has created are among them.
 * Rejects when the database can't be reached; then nothing was created, as far as is known.
 */
export async function createLinks(
  wanted: readonly WantedLink[],
  options: CreateLinksOptions,
  deps: CreateLinksDeps,
): Promise<readonly Creation[]> {
  const { ids, workspaceId } = options;
  const named = wanted.map((link, index) => ({ ...link, id: ids.idAt(index) }));
  const states = ids.isRetry ? await findStates(named, workspaceId, deps) : new Map<string, string>();
  const open = named.filter(({ id }) => !states.has(id) || states.get(id) === "deleted");
  // What was deleted since is created again, under another id.
  const fresh = open.map((link) => (states.has(link.id) ? { ...link, id: newEntityId() } : link));
  const rest = (fresh.length === 0 ? [] : await createMissing(fresh, options, deps)).values();
  return named.map((link) =>
    open.includes(link) ? (rest.next().value ?? refuse("not_done")) : { isCreated: true, linkId: link.id },
  );
}

/** The states of those links that exist, by id. */
async function findStates(
  links: readonly { readonly id: string }[],
  workspaceId: string,
  { database }: CreateLinksDeps,
): Promise<ReadonlyMap<string, string>> {
  const ids = sql.param(links.map(({ id }) => id));
  const { rows } = await database.execute<{ id: string; state: string }>(
    sql`SELECT id, state FROM links WHERE workspace_id = ${workspaceId}::uuid AND id = ANY(${ids}::uuid[])`,
  );
  return new Map(rows.map(({ id, state }) => [id, state]));
}

async function createMissing(
  wanted: readonly (WantedLink & { readonly id: string })[],
  options: CreateLinksOptions,
  deps: CreateLinksDeps,
): Promise<readonly Creation[]> {
  const plans = [...(await planLinks(wanted, options.workspaceId, deps))];
  const created = new Set<string>();
  for (let attempt = 1; attempt <= MAX_TRIES; attempt += 1) {
    if (options.isAtomic && plans.some(({ isCreated }) => !isCreated)) {
      return plans.map((plan) => (plan.isCreated ? refuse("not_done") : plan));
    }
    const open = plans.flatMap((plan, index) =>
      plan.isCreated && !created.has(plan.linkId) ? [{ index, plan }] : [],
    );
    if (open.length === 0 || options.isDryRun) {
      return plans;
    }
    const rows = open.map(({ plan }) => toRow(plan, options.workspaceId, deps));
    const linkIds = await insertRows(rows, options, deps);
    if (linkIds === "taken") {
      return plans.map(() => refuse("not_done"));
    }
    linkIds.forEach((id) => created.add(id));
    const missed = open.filter(({ plan }) => !created.has(plan.linkId));
    await planAgain(missed, plans, { workspaceId: options.workspaceId, created, deps });
  }
  return plans.map((plan) => (plan.isCreated && !created.has(plan.linkId) ? refuse("slug_taken") : plan));
}

type Open = { readonly index: number; readonly plan: PlannedLink };

/** Someone else has been at these addresses since they were read: replaces the plans of those that are still missing. */
async function planAgain(
  open: readonly Open[],
  plans: (PlannedLink | Refusal)[],
  {
    workspaceId,
    created,
    deps,
  }: { readonly workspaceId: string; readonly created: Set<string>; readonly deps: CreateLinksDeps },
): Promise<void> {
  if (open.length === 0) {
    return;
  }
  // An earlier attempt of this request may still have been on its way to the database.
  const states = await findStates(
    open.map(({ plan }) => ({ id: plan.linkId })),
    workspaceId,
    deps,
  );
  states.forEach((_state, id) => created.add(id));
  const missing = open.filter(({ plan }) => !created.has(plan.linkId));
  const wanted = missing.map(({ plan }) => plan.link);
  const again = missing.length === 0 ? [] : await planLinks(wanted, workspaceId, deps);
  missing.forEach(({ index }, position) => {
    plans[index] = again[position] ?? refuse("not_done");
  });
}

/** The ids that were written; none when a version is no longer the first free one at its address. `taken`: atomic, and one was. */
async function insertRows(
  rows: readonly LinkRow[],
  { isAtomic, publish }: CreateLinksOptions,
  deps: CreateLinksDeps,
): Promise<ReadonlySet<string> | "taken"> {
  const lease = deps.publisher.newLease();
  const enqueue = rows.filter(({ version }) => publish === "all" || version > 1).map(({ id }) => id);
  try {
    const { linkIds, changes } = await insertLinks(deps.database, rows, { isAtomic, enqueue, lease });
    // Committed: the request has succeeded, whatever happens to the publishing.
    await deps.publisher.publish(changes, lease);
    return linkIds;
  } catch (error) {
    if (isBehindAddress(error)) {
      return new Set();
    }
    if (isAtomic && failureOf(error).sqlState === "22012") {
      return "taken";
    }
    throw error;
  }
}

function toRow(plan: PlannedLink, workspaceId: string, deps: CreateLinksDeps): LinkRow {
  const { linkId: id, link, address, smart, record } = plan;
  const { url, title, tags, externalId, createdAt, state, usedClicks } = link;
  return {
    id,
    workspaceId,
    domainId: address.domain.id,
    slug: toStoredSlug(link.slug ?? newSlug(deps.randomBytes), address),
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
