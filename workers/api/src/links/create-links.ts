/** Creates links: plans them, inserts those that are free, publishes them. Each gets a result of its own. */
import { links } from "@hopline/db/schema";
import { and, eq } from "drizzle-orm";
import { isWithinBounds } from "../http/bounds/within-bounds.ts";
import { type Database, failureOf } from "../database.ts";
import { isOneOf } from "../to-sql.ts";
import { newEntityId } from "../http/entity-id.ts";
import type { NewIds } from "../http/new-ids.ts";
import { invalidField, ProblemError } from "../http/problem.ts";
import type { Publisher } from "../publishing/publish-changes.ts";
import { defaultStatusOf } from "./compile-record.ts";
import { LOOP_MESSAGE, requireDestination } from "../destination.ts";
import { type CreateLink, TOO_MANY_FORWARDS } from "./link-shape.ts";
import { newSlug } from "./new-slug.ts";
import {
  LINKS_USED_UP,
  planLinks,
  type PlannedLink,
  type Refusal,
  refuse,
  toStoredSlug,
  type WantedLink,
} from "./plan-links.ts";
import type { SmartDeps } from "./smart-change.ts";
import { type Inserted, insertLinks, type LinkRow } from "./store/insert-links.ts";

export type CreateLinksDeps = SmartDeps & {
  readonly database: Database;
  readonly publisher: Publisher;
  readonly randomBytes: (count: number) => Uint8Array;
};

/** A collision of generated slugs is one in a billion; several in a row are a fault. */
const MAX_TRIES = 5;

/** The id of the new link. Throws `ProblemError` when it can't be created. */
export async function createLink(
  { workspaceId, ids }: Pick<CreateLinksOptions, "workspaceId" | "ids">,
  body: CreateLink,
  deps: CreateLinksDeps,
): Promise<string> {
  const url = requireDestination(body.url, "url", deps.appSchemes);
  const wanted: WantedLink = { ...body, url, state: "live", createdAt: null, usedClicks: 0 };
  const options = { workspaceId, ids, isAtomic: false, isDryRun: false, publish: "now" } as const;
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
    case "limit_reached":
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
   * `now`: every link is in KV and announced to the isolates before the answer. `later`: isolates get one change per domain,
   * saying that links arrived, and forget which slugs they held as unknown; the publishing queue brings the links to KV,
   * and until then Postgres answers their visitors.
   */
  readonly publish: "now" | "later";
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
  wanted: readonly { readonly id: string }[],
  workspaceId: string,
  { database }: CreateLinksDeps,
): Promise<ReadonlyMap<string, string>> {
  const ids = wanted.map(({ id }) => id);
  const rows = await database
    .select({ id: links.id, state: links.state })
    .from(links)
    .where(and(eq(links.workspaceId, workspaceId), isOneOf(links.id, ids), isWithinBounds()));
  return new Map(rows.map(({ id, state }) => [id, state]));
}

async function createMissing(
  wanted: readonly (WantedLink & { readonly id: string })[],
  options: CreateLinksOptions,
  deps: CreateLinksDeps,
): Promise<readonly Creation[]> {
  const plans = await planLinks(wanted, options.workspaceId, deps);
  if (options.isAtomic && plans.some(({ isCreated }) => !isCreated)) {
    return plans.map((plan) => (plan.isCreated ? refuse("not_done") : plan));
  }
  const planned = plans.filter((plan) => plan.isCreated);
  if (planned.length === 0 || options.isDryRun) {
    return plans;
  }
  const refusals = await insertPlanned(planned, options, deps);
  return plans.map((plan) => (plan.isCreated ? (refusals.get(plan.linkId) ?? plan) : plan));
}

/** Why links were not created after all, by the ids that they would have had. */
async function insertPlanned(
  planned: readonly PlannedLink[],
  options: CreateLinksOptions,
  deps: CreateLinksDeps,
): Promise<ReadonlyMap<string, Refusal>> {
  const refusals = new Map<string, Refusal>();
  let open = planned;
  for (let attempt = 1; open.length > 0; attempt += 1) {
    const inserted = await insertRows(open, options, deps);
    if (inserted === "taken") {
      return new Map(planned.map(({ linkId }) => [linkId, refuse("not_done")]));
    }
    const missed = open.filter(({ linkId }) => !inserted.linkIds.has(linkId));
    const refused = await withoutCreated(missed, options.workspaceId, deps);
    for (const { linkId, link } of refused) {
      const isNamesake = link.externalId !== null && inserted.takenExternalIds.has(link.externalId);
      const missing = inserted.isFull ? refuse("limit_reached", [LINKS_USED_UP]) : refuse("slug_taken");
      refusals.set(linkId, isNamesake ? refuse("external_id_taken") : missing);
    }
    // Another slug is generated for those that did not name theirs.
    open = refused.filter(
      ({ linkId, link }) =>
        link.slug === undefined && refusals.get(linkId)?.problem === "slug_taken" && attempt < MAX_TRIES,
    );
    open.forEach(({ linkId }) => refusals.delete(linkId));
  }
  return refusals;
}

/** An earlier attempt of this request may still have been on its way to the database, and have created some of them. */
async function withoutCreated(
  missed: readonly PlannedLink[],
  workspaceId: string,
  deps: CreateLinksDeps,
): Promise<readonly PlannedLink[]> {
  if (missed.length === 0) {
    return missed;
  }
  const states = await findStates(
    missed.map(({ linkId }) => ({ id: linkId })),
    workspaceId,
    deps,
  );
  return missed.filter(({ linkId }) => !states.has(linkId));
}

/** `taken`: atomic, and a name was. */
async function insertRows(
  planned: readonly PlannedLink[],
  { workspaceId, isAtomic, publish }: CreateLinksOptions,
  deps: CreateLinksDeps,
): Promise<Inserted | "taken"> {
  const lease = deps.publisher.newLease();
  const rows = planned.map((plan) => toRow(plan, workspaceId, deps));
  try {
    const isLimited = planned.some(({ address }) => address.linksLeft !== null);
    const inserted = await insertLinks(deps.database, rows, { isAtomic, publish, lease, isLimited });
    // Committed: the request has succeeded, whatever happens to the publishing.
    await Promise.all([
      deps.publisher.publish(inserted.changes, lease),
      publish === "later" && inserted.linkIds.size > 0
        ? deps.publisher.publishLater(inserted.linkIds.size)
        : null,
    ]);
    return inserted;
  } catch (error) {
    if (isAtomic && failureOf(error).sqlState === "22012") {
      return "taken";
    }
    if (failureOf(error).constraint === "forwards_of_domain") {
      throw invalidField("slug", TOO_MANY_FORWARDS);
    }
    throw error;
  }
}

function toRow(plan: PlannedLink, workspaceId: string, deps: CreateLinksDeps): LinkRow {
  const { linkId: id, link, address, folderId, smart, record } = plan;
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
    folderId,
    record,
    smart,
    usedClicks,
    createdAt,
  };
}
