/**
 * Decides for each of many links whether it can be created, before anything is written. The database is asked once for all
 * of them. Of two links in the list with the same name, the second is refused.
 */
import type { UnversionedLink } from "@hopline/core/link/link-record";
import type { Result } from "@hopline/core/decode/result";
import { defaultStatusOf, toPublishedState, tryCompileRecord } from "./compile-record.ts";
import { fillWithin, findOutside } from "./place-within.ts";
import { boundsNow } from "../http/bounds/within-bounds.ts";
import { type CheckedUrl, hostOfDestination } from "../destination.ts";
import { pendingDomainError } from "../domains/pending-domain.ts";
import { newEntityId, toPublicId } from "../http/entity-id.ts";
import { fitsKvKey, foldSlug, isForwardingSlug, linkKeyOf } from "@hopline/core/link/link-address";
import { type CreateLink, NO_SUCH_FOLDER, TOO_LONG_FOR_HOST, TOO_MANY_FORWARDS } from "./link-shape.ts";
import { type FoundFolder, findFolders } from "../folders/folder-store.ts";
import { fillDefaults } from "./fill-defaults.ts";
import { newSlug } from "./new-slug.ts";
import { type Filled, nearestOf } from "@hopline/core/link/link-defaults";
import type { FieldError, ProblemCode } from "../http/problem.ts";
import { compileSmart, hostsIn, urlsIn, type SmartChange, type SmartDeps } from "./smart-change.ts";
import { readSmart } from "./smart-shape.ts";
import { findAddresses, type FoundAddress } from "./store/insert-links.ts";
import type { OwnStatus } from "./store/link-status.ts";
import { findShortHosts } from "./store/link-store.ts";

export type WantedLink = Omit<CreateLink, "url"> & {
  /** A new one if absent. */
  readonly id?: string;
  readonly url: CheckedUrl;
  readonly state: OwnStatus;
  /** RFC 3339; `null` for now. */
  readonly createdAt: string | null;
  /** Uses that already count towards its cap, if it has one. */
  readonly usedClicks: number;
};

export type CreationProblem = Extract<
  ProblemCode,
  | "no_domain"
  | "domain_pending"
  | "slug_taken"
  | "external_id_taken"
  | "loop"
  | "not_done"
  | "invalid"
  | "limit_reached"
>;

/** Why a link is not created; `errors` lists the fields of an invalid one, or the record that proves its domain. */
export type Refusal = {
  readonly isCreated: false;
  readonly problem: CreationProblem;
  readonly errors: readonly FieldError[];
};

export type PlannedLink = {
  readonly isCreated: true;
  readonly linkId: string;
  /** As the request says it. */
  readonly wanted: WantedLink;
  /** With what defaults fill. */
  readonly link: WantedLink;
  readonly filled: readonly Filled[];
  /** Its own, or a generated one, as its domain stores it. */
  readonly slug: string;
  readonly address: Placed;
  readonly folderId: string | null;
  readonly smart: SmartChange | undefined;
  readonly record: string;
};

/** An address on a domain that the workspace has. */
type Placed = FoundAddress & { readonly domain: NonNullable<FoundAddress["domain"]> };

export function refuse(problem: CreationProblem, errors: readonly FieldError[] = []): Refusal {
  return { isCreated: false, problem, errors };
}

export type PlanDeps = SmartDeps & {
  readonly randomBytes: (count: number) => Uint8Array;
  readonly nowMs: () => number;
};

/** One plan for each link, in their order. Rejects when the database can't be reached. */
export async function planLinks(
  wanted: readonly WantedLink[],
  workspaceId: string,
  deps: PlanDeps,
): Promise<readonly (PlannedLink | Refusal)[]> {
  const found = await findAddresses(deps.database, workspaceId, wanted.map(toAddress));
  const bounds = boundsNow();
  // The folder that bounds leave no choice of has defaults, too.
  const ofBounds = bounds.flatMap(({ folderIds = [] }) => folderIds.map((id) => toPublicId("fld", id)));
  const named = [...wanted.map(({ folder }) => folder), ...ofBounds];
  const folders = await findFolders(deps.database, workspaceId, named);
  const forwarding = new Map<string, number>();
  const placed = wanted.map((link, index) =>
    placeOne(link, { address: found[index], folders, forwarding }, deps),
  );
  const links = placed.flatMap((place) => ("link" in place ? place.link : []));
  const compiled = (await compileAll(links, deps)).values();
  const taken = new Set<string>();
  return placed.map((place) => {
    if (!("link" in place)) {
      return place;
    }
    const smart = compiled.next().value;
    return smart?.ok === false
      ? refuse("invalid", smart.error)
      : planOne({ ...place, smart: smart?.value }, taken);
  });
}

type Surroundings = {
  readonly address: FoundAddress | undefined;
  readonly folders: ReadonlyMap<string, FoundFolder>;
  /** How many links of the list forward what follows, by domain; grows. */
  readonly forwarding: Map<string, number>;
};

/** A link with what bounds and defaults fill, if it may be where it is wanted. */
function placeOne(
  link: WantedLink,
  { address, folders, forwarding }: Surroundings,
  deps: PlanDeps,
): Omit<Candidate, "smart"> | Refusal {
  if (address === undefined || !isPlaced(address)) {
    return refuse("no_domain");
  }
  if (address.pendingToken !== null) {
    const domain = { ...address.domain, proofToken: address.pendingToken };
    return refuse("domain_pending", [pendingDomainError(domain, "domain")]);
  }
  if (address.isLoop) {
    return refuse("loop");
  }
  const namedId = folders.get(link.folder ?? "")?.id ?? null;
  if (typeof link.folder === "string" && namedId === null) {
    return refuse("invalid", [{ path: "folder", message: NO_SUCH_FOLDER }]);
  }
  const slugFault = faultOfSlug(link, address, forwarding);
  if (slugFault !== null) {
    return refuse("invalid", [{ path: "slug", message: slugFault }]);
  }
  const bounds = boundsNow();
  const { tags = [] } = link;
  const within = fillWithin(bounds, { domainId: address.domain.id, folderId: namedId, tags });
  const { folderId } = within;
  const folder = folderId === null ? null : (folders.get(toPublicId("fld", folderId)) ?? null);
  const { workspace, domain } = address.defaults;
  // A link without a status follows its domain's.
  const ofDomain = address.redirectStatus === null ? domain : { ...domain, redirectStatus: null };
  const levels = { workspace, domain: ofDomain, folder: folder?.defaults ?? null };
  const named = link.slug ?? newSlug(deps.randomBytes, nearestOf(levels).slug);
  const slug = toStoredSlug(named, address);
  const names = { domain: address.domain.host, folder: folder?.name ?? null, slug };
  const filling = fillDefaults(link, { levels, ...names, nowMs: deps.nowMs() });
  // A tag that bounds ask for stands beside those of defaults.
  const all = link.tags === undefined ? [...within.tags, ...(filling.link.tags ?? [])] : within.tags;
  const filled = { ...filling.link, tags: [...new Set(all)] };
  const urls = [link.url, ...urlsIn(readSmart(link) ?? {})];
  const outside = findOutside(bounds, {
    ...within,
    tags: filled.tags,
    urls,
    slug: link.slug,
    reuse: link.reuse,
  });
  const errors = [...outside, ...filling.errors];
  return errors.length > 0
    ? refuse("invalid", errors)
    : { wanted: link, link: filled, filled: filling.filled, slug, address, folderId };
}

function faultOfSlug(
  { slug }: WantedLink,
  { domain, forwardsLeft }: Placed,
  forwarding: Map<string, number>,
): string | null {
  if (slug === undefined) {
    return null;
  }
  if (!fitsKvKey(linkKeyOf(domain.host, slug))) {
    return TOO_LONG_FOR_HOST;
  }
  const count = (forwarding.get(domain.id) ?? 0) + (isForwardingSlug(slug) ? 1 : 0);
  forwarding.set(domain.id, count);
  return isForwardingSlug(slug) && count > (forwardsLeft ?? 0) ? TOO_MANY_FORWARDS : null;
}

export const LINKS_USED_UP = {
  path: "",
  message: "The workspace has as many links or clicks as it may: see its usage.",
};

type Candidate = Omit<PlannedLink, "isCreated" | "linkId" | "record">;

function planOne(candidate: Candidate, taken: Set<string>): PlannedLink | Refusal {
  const { link, address, smart } = candidate;
  const problem = problemOfNames(link, address, taken);
  if (problem !== null) {
    return refuse(problem);
  }
  const linkId = link.id ?? newEntityId();
  const record: UnversionedLink = {
    ...smart?.extras,
    linkId,
    state: toPublishedState(link.state),
    url: link.url,
    redirectStatus: link.redirectStatus ?? defaultStatusOf(address),
    ...((link.redirectStatus ?? null) === null ? { followsDomain: true } : {}),
  };
  const compiled = tryCompileRecord(record);
  if (!compiled.ok) {
    return refuse("invalid", [compiled.error]);
  }
  namesOf(link, address).forEach((name) => taken.add(name));
  return { isCreated: true, linkId, ...candidate, record: compiled.value };
}

function problemOfNames(
  link: WantedLink,
  address: Placed,
  taken: ReadonlySet<string>,
): CreationProblem | null {
  const isTwice = (kind: string) =>
    namesOf(link, address).some((name) => name.startsWith(kind) && taken.has(name));
  if (link.slug !== undefined && (address.isSlugTaken || isTwice("slug"))) {
    return "slug_taken";
  }
  return link.externalId !== null && (address.isExternalIdTaken || isTwice("external"))
    ? "external_id_taken"
    : null;
}

/** Names that no other link of the list may have. */
function namesOf({ slug, externalId }: WantedLink, address: Placed): readonly string[] {
  return [
    ...(slug === undefined ? [] : [`slug ${address.domain.id} ${toStoredSlug(slug, address)}`]),
    ...(externalId === null ? [] : [`external ${externalId}`]),
  ];
}

/** As the domain stores it. */
export function toStoredSlug(slug: string, { ignoresCase }: Pick<FoundAddress, "ignoresCase">): string {
  return ignoresCase ? foldSlug(slug) : slug;
}

export function toAddress({ domain, slug, url, externalId }: WantedLink) {
  const foldedSlug = slug === undefined ? null : foldSlug(slug);
  const destinationHost = hostOfDestination(url);
  return { domain: domain ?? null, slug: slug ?? null, foldedSlug, destinationHost, externalId };
}

function isPlaced(address: FoundAddress): address is Placed {
  return address.domain !== null;
}

/** One statement finds all short domains among the links' URLs; without a smart link there is none. */
async function compileAll(
  wanted: readonly WantedLink[],
  { database, appSchemes }: SmartDeps,
): Promise<readonly Result<SmartChange | undefined, readonly FieldError[]>[]> {
  const inputs = wanted.map(readSmart);
  const hosts = new Set(inputs.flatMap((input) => (input === undefined ? [] : hostsIn(input))));
  const policy = { ownHosts: await findShortHosts(database, [...hosts]), appSchemes };
  return Promise.all(
    wanted.map(async ({ url, usedClicks }, index) => {
      const input = inputs[index];
      return input === undefined
        ? { ok: true as const, value: undefined }
        : compileSmart(input, { url, used: usedClicks }, policy);
    }),
  );
}
