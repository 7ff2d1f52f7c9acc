/** Creates links: plans them, inserts those that are free, publishes them. Each gets a result of its own. */
import { UTM_NAMES } from "@hopline/core/link/destination";
import { links } from "@hopline/db/schema";
import { and, eq } from "drizzle-orm";
import { isWithinBounds } from "../http/bounds/within-bounds.ts";
import { failureOf } from "../database.ts";
import { isOneOf } from "../to-sql.ts";
import { newEntityId } from "../http/entity-id.ts";
import type { NewIds } from "../http/new-ids.ts";
import { invalidField, ProblemError } from "../http/problem.ts";
import type { Publisher } from "../publishing/publish-changes.ts";
import { defaultStatusOf } from "./compile-record.ts";
import { LOOP_MESSAGE, requireDestination } from "../destination.ts";
import type { Filled } from "@hopline/core/link/link-defaults";
import { type CreateLink, TOO_MANY_FORWARDS } from "./link-shape.ts";
import {
  LINKS_USED_UP,
  type PlanDeps,
  planLinks,
  type PlannedLink,
  type Refusal,
  refuse,
  type WantedLink,
} from "./plan-links.ts";
import { findSame, type Inserted, insertLinks, type LinkRow } from "./store/insert-links.ts";

export type CreateLinksDeps = PlanDeps & { readonly publisher: Publisher };

/** A collision of slugs of seven characters is one in a billion. Several in a row: defaults leave too few. */
const MAX_TRIES = 10;
const FEW_LEFT = `can't be generated, as ${MAX_TRIES} in a row were taken: make default slugs longer, or choose a slug`;

/** The new link, or the one that there is. Throws `ProblemError` when it can't be created. */
export async function createLink(
  { workspaceId, ids }: Pick<CreateLinksOptions, "workspaceId" | "ids">,
  body: CreateLink,
  deps: CreateLinksDeps,
): Promise<Created> {
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
  return created;
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
      return new ProblemError(
        problem,
        errors.length > 0 ? errors : [{ path: "slug", message: "is taken: choose another one" }],
      );
    case "external_id_taken":
      return new ProblemError(problem, [{ path: "externalId", message: "is taken: choose another one" }]);
    case "domain_pending":
    case "limit_reached":
    case "invalid":
    case "not_done":
      return new ProblemError(problem, errors);
  }
}

/** A link that is there now. */
export type Created = {
  readonly isCreated: true;
  readonly linkId: string;
  /** It was there before. */
  readonly isReused?: true;
  readonly filled: readonly Filled[];
};

/** The link, or why it was not created. */
export type Creation = Created | Refusal;

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
    open.includes(link)
      ? (rest.next().value ?? refuse("not_done"))
      : { isCreated: true, linkId: link.id, filled: [] },
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
  const planned = plans.filter((plan) => plan.isCreated);
  const firsts = findFirsts(planned);
  const reused = new Map(await findReused(planned, options, deps));
  const open = planned.filter((plan) => firsts.get(plan) === plan && !reused.has(plan.linkId));
  const over = open.slice(Math.max(0, planned[0]?.address.linksLeft ?? open.length));
  const refusals = new Map(over.map(({ linkId }) => [linkId, refuse("limit_reached", [LINKS_USED_UP])]));
  const toCreation = (plan: PlannedLink | Refusal): Creation => {
    const first = plan.isCreated ? firsts.get(plan) : undefined;
    if (!plan.isCreated || first === undefined) {
      return plan;
    }
    const linkId = reused.get(first.linkId) ?? first.linkId;
    return (
      refusals.get(first.linkId) ??
      (linkId === plan.linkId ? plan : { isCreated: true, isReused: true, linkId, filled: [] })
    );
  };
  const judged = plans.map(toCreation);
  if (options.isAtomic && judged.some(({ isCreated }) => !isCreated)) {
    return judged.map((one) => (one.isCreated ? refuse("not_done") : one));
  }
  const fitting = open.filter(({ linkId }) => !refusals.has(linkId));
  if (fitting.length === 0 || options.isDryRun) {
    return judged;
  }
  const refused = await insertPlanned(fitting, { ...options, reused }, deps);
  refused.forEach((refusal, linkId) => refusals.set(linkId, refusal));
  return plans.map(toCreation);
}

/** By plan, the first of those that would make the same link: itself, unless it reuses. */
function findFirsts(planned: readonly PlannedLink[]): ReadonlyMap<PlannedLink, PlannedLink> {
  const byKey = new Map<string, PlannedLink>();
  return new Map(
    planned.map((plan) => {
      const { linkId, link, address, folderId } = plan;
      const utm = UTM_NAMES.map((name) => link.utm?.[name]);
      const hasEnd = (link.expiresAt ?? null) !== null;
      const same = [address.domain.id, folderId, destinationKey(link.url), utm, hasEnd];
      const key = JSON.stringify(link.reuse === true ? same : linkId);
      byKey.set(key, byKey.get(key) ?? plan);
      return [plan, byKey.get(key) ?? plan];
    }),
  );
}

/** As destination_key (migrations/0002_links.sql): an escape, or a step in the path, is not what it stands for. */
function destinationKey(url: string): string {
  const [, authority, rest = ""] = /^(https?:\/\/[^/?#]*)(.*)$/i.exec(url) ?? [];
  return authority === undefined ? url : `${new URL(authority).origin}${rest.replace(/^(?!\/)/, "/")}`;
}

/** The ids of links that are there in place of planned ones, by the ids that those would have. */
function findReused(
  planned: readonly PlannedLink[],
  { workspaceId }: Pick<CreateLinksOptions, "workspaceId">,
  { database }: CreateLinksDeps,
): Promise<ReadonlyMap<string, string>> {
  const rows = planned.filter(({ link }) => link.reuse === true).map((plan) => toRow(plan, workspaceId));
  return findSame(database, rows);
}

type InsertPlannedOptions = CreateLinksOptions & {
  /** Grows by those that other requests make meanwhile. */
  readonly reused: Map<string, string>;
};

/** Why links were not created after all, by the ids that they would have had. */
async function insertPlanned(
  planned: readonly PlannedLink[],
  options: InsertPlannedOptions,
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
    const found = await findReused(missed, options, deps);
    found.forEach((there, linkId) => options.reused.set(linkId, there));
    const left = missed.filter(({ linkId }) => !found.has(linkId));
    const refused = await withoutCreated(left, options.workspaceId, deps);
    for (const { linkId, link } of refused) {
      const isNamesake = link.externalId !== null && inserted.takenExternalIds.has(link.externalId);
      const few = link.slug === undefined ? [{ path: "slug", message: FEW_LEFT }] : [];
      const missing = inserted.isFull ? refuse("limit_reached", [LINKS_USED_UP]) : refuse("slug_taken", few);
      refusals.set(linkId, isNamesake ? refuse("external_id_taken") : missing);
    }
    // Another slug is generated for those that did not name theirs. Of those that did, the domain may have ended since.
    const again = refused.filter(
      ({ linkId }) => refusals.get(linkId)?.problem === "slug_taken" && attempt < MAX_TRIES,
    );
    again.forEach(({ linkId }) => refusals.delete(linkId));
    const plans =
      again.length === 0
        ? []
        : await planLinks(
            again.map(({ wanted, linkId }) => ({ ...wanted, id: linkId })),
            options.workspaceId,
            deps,
          );
    plans.forEach((plan, index) => {
      const linkId = again[index]?.linkId;
      if (!plan.isCreated && linkId !== undefined) {
        refusals.set(linkId, plan);
      }
    });
    open = plans.filter((plan) => plan.isCreated);
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
  const rows = planned.map((plan) => toRow(plan, workspaceId));
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

function toRow(plan: PlannedLink, workspaceId: string): LinkRow {
  const { linkId: id, link, slug, address, folderId, smart, record } = plan;
  const { url, title, tags = [], externalId, createdAt, state, usedClicks, reuse = false } = link;
  const redirectStatus = link.redirectStatus ?? null;
  return {
    id,
    workspaceId,
    domainId: address.domain.id,
    slug,
    url,
    state,
    redirectStatus: redirectStatus ?? defaultStatusOf(address),
    followsDomainStatus: redirectStatus === null,
    title,
    tags,
    externalId,
    folderId,
    reuse,
    record,
    smart,
    usedClicks,
    createdAt,
  };
}
