/** Creates an import's links. A row whose slug is taken is refused, takes a free slug, or is written over the link that has it. */
import { links } from "@hopline/db/schema";
import { FORWARDING_END, isForwardingSlug, withoutForwarding } from "@hopline/core/link/link-address";
import { and, eq, ne, sql } from "drizzle-orm";
import { actMoreExactly, type LinkGroup } from "../acting.ts";
import type { ApiDeps } from "../api-deps.ts";
import { isWithinBounds } from "../http/bounds/within-bounds.ts";
import type { FieldError, ProblemCode } from "../http/problem.ts";
import { changeLinks } from "../links/change-links.ts";
import { createLinks, type CreateLinksOptions } from "../links/create-links.ts";
import { Slug } from "../links/link-shape.ts";
import { toAddress, toStoredSlug } from "../links/plan-links.ts";
import { findAddresses } from "../links/store/insert-links.ts";
import { toLinkChange } from "../links/to-link-change.ts";
import type { ValidRow } from "./import-row.ts";

export const CONFLICT_CHOICES = ["skip", "rename", "replace"] as const;

/** As many as one request to updateLinks changes: each is published before the answer. */
export const MAX_REPLACED = 500;
const TOO_MANY = `is one more than the ${MAX_REPLACED} links that one import replaces: import the rest as another file`;

/** `spring-9` is the last one that is tried in place of `spring`. */
const LAST_NUMBER = 9;

export type Outcome =
  | { readonly kind: "created" | "reused" }
  /** It has a password of its own, which stays. */
  | { readonly kind: "replaced"; readonly isLocked: boolean }
  | { readonly kind: "renamed"; readonly slug: string }
  | { readonly kind: "refused"; readonly code: ProblemCode; readonly errors: readonly FieldError[] };

export type RowsOptions = CreateLinksOptions & {
  /** Links that are created leave one line in the audit log together, each one that is replaced a line of its own. */
  readonly group: LinkGroup;
  readonly conflict: (typeof CONFLICT_CHOICES)[number];
  /** The links that this import has written so far, which no later row replaces. Grows. */
  readonly written: { readonly created: Set<string>; readonly replaced: Set<string> };
};

/** A row, and its place among the others. */
type Placed = ValidRow & { readonly index: number };

/** One outcome for each row, in their order. */
export async function importRows(
  rows: readonly ValidRow[],
  options: RowsOptions,
  deps: ApiDeps,
): Promise<readonly Outcome[]> {
  const placed = rows.map((row, index) => ({ ...row, index }));
  const outcomes = await createAll(placed, options, deps);
  const isTaken = ({ index }: Placed) => isSlugTaken(outcomes[index]);
  if (options.conflict === "rename") {
    for (let number = 2; number <= LAST_NUMBER && placed.some(isTaken); number += 1) {
      const renamed = placed.filter(isTaken).flatMap((row) => {
        const slug = addNumber(row.link.slug ?? "", number);
        return Slug.safeParse(slug).success ? { ...row, link: { ...row.link, slug } } : [];
      });
      const tried = await createAll(renamed, options, deps);
      renamed.forEach(({ index, link: { slug } }, at) => {
        const outcome = tried[at];
        if (outcome !== undefined) {
          outcomes[index] = outcome.kind === "created" ? { kind: "renamed", slug } : outcome;
        }
      });
    }
  }
  if (options.conflict === "replace") {
    const taken = placed.filter(isTaken);
    const replaced = taken.length === 0 ? new Map<number, Outcome>() : await replaceAll(taken, options, deps);
    replaced.forEach((outcome, index) => (outcomes[index] = outcome));
  }
  return outcomes;
}

/** `docs-2/*` of `docs/*`. */
function addNumber(slug: string, number: number): string {
  return `${withoutForwarding(slug)}-${number}${isForwardingSlug(slug) ? FORWARDING_END : ""}`;
}

function isSlugTaken(outcome: Outcome | undefined): boolean {
  return outcome?.kind === "refused" && outcome.code === "slug_taken";
}

async function createAll(rows: readonly Placed[], options: RowsOptions, deps: ApiDeps): Promise<Outcome[]> {
  const { ids, written, group } = options;
  const idAt = (at: number) => ids.idAt(rows[at]?.index ?? at);
  const wanted = rows.map(({ link }) => link);
  const create = () => createLinks(wanted, { ...options, ids: { ...ids, idAt } }, deps);
  const creations = wanted.length === 0 ? [] : await actMoreExactly({ group }, create);
  return creations.map((creation) => {
    if (!creation.isCreated) {
      return { kind: "refused", code: creation.problem, errors: creation.errors };
    }
    if (creation.isReused === true) {
      return { kind: "reused" };
    }
    written.created.add(creation.linkId);
    return { kind: "created" };
  });
}

/** By index. A row whose slug is not a link's own, such as a former one or one in the trash, has none: it stays refused. */
async function replaceAll(
  rows: readonly Placed[],
  { workspaceId, isDryRun, written: { created, replaced } }: RowsOptions,
  deps: ApiDeps,
): Promise<ReadonlyMap<number, Outcome>> {
  const outcomes = new Map<number, Outcome>();
  const found = await findNamesakes(rows, workspaceId, deps);
  const wanted: { readonly index: number; readonly item: Parameters<typeof changeLinks>[0][number] }[] = [];
  for (const { index, ...row } of rows) {
    const namesake = found.get(index);
    if (namesake === undefined || created.has(namesake.id) || replaced.has(namesake.id)) {
      continue;
    }
    if (replaced.size >= MAX_REPLACED) {
      outcomes.set(index, { kind: "refused", code: "invalid", errors: [{ path: "", message: TOO_MANY }] });
      continue;
    }
    replaced.add(namesake.id);
    outcomes.set(index, { kind: "replaced", isLocked: namesake.hasPassword });
    const { id: linkId, version } = namesake;
    wanted.push({ index, item: { linkId, ifMatch: [version], change: toChange(row, namesake.hasPassword) } });
  }
  const items = wanted.map(({ item }) => item);
  const refused = isDryRun || items.length === 0 ? [] : await changeLinks(items, { workspaceId }, deps);
  wanted.forEach(({ index }, at) => {
    const refusal = refused[at] ?? null;
    if (refusal !== null) {
      outcomes.set(index, { kind: "refused", ...refusal });
    }
  });
  return outcomes;
}

type Namesake = { readonly id: string; readonly version: number; readonly hasPassword: boolean };

/** The links that have the rows' slugs on their domains, by the row's index. */
async function findNamesakes(
  rows: readonly Placed[],
  workspaceId: string,
  { database }: ApiDeps,
): Promise<ReadonlyMap<number, Namesake>> {
  const addresses = await findAddresses(
    database,
    workspaceId,
    rows.map(({ link }) => toAddress(link)),
  );
  const names = rows.flatMap(({ index, link: { slug } }, at) => {
    const address = addresses[at];
    return address?.domain === null || address === undefined || slug === undefined
      ? []
      : { index, domainId: address.domain.id, slug: toStoredSlug(slug, address) };
  });
  const named = sql`jsonb_to_recordset(${JSON.stringify(names)}::jsonb)
    AS named (index integer, "domainId" uuid, slug text)`;
  const found = await database
    .select({
      index: sql<number>`named.index`,
      id: links.id,
      version: links.version,
      hasPassword: sql<boolean>`${links.password} IS NOT NULL`,
    })
    .from(links)
    .innerJoin(named, sql`named."domainId" = ${links.domainId} AND named.slug = ${links.slug}`)
    .where(and(eq(links.workspaceId, workspaceId), ne(links.state, "deleted"), isWithinBounds()));
  return new Map(found.map(({ index, ...namesake }) => [index, namesake]));
}

/** What the row has. What it leaves empty stays as it is; so does a password, which no file contains. */
function toChange({ link, hadPassword, isStateGiven }: ValidRow, hasPassword: boolean) {
  const { slug: _same, domain: _there, title, tags, externalId, folder, state, ...rest } = link;
  const isLocked = hadPassword && hasPassword;
  return toLinkChange({
    ...rest,
    ...(title === null ? {} : { title }),
    ...(tags === undefined ? {} : { tags }),
    ...(externalId === null ? {} : { externalId }),
    ...(typeof folder === "string" ? { folder } : {}),
    ...(isStateGiven && !isLocked ? { status: state } : {}),
  });
}
