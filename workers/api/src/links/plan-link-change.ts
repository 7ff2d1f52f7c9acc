/** What a change of a link comes to: checked, and with the record that is published. Writes nothing. */
import { fitsKvKey, foldSlug, linkKeyOf } from "@hopline/core/link/link-address";
import type { PasswordHash } from "@hopline/core/link/link-extras";
import type { RedirectStatus } from "@hopline/core/link/link-record";
import type { AppSchemes } from "../api-deps.ts";
import { findOutside } from "./place-within.ts";
import { boundsNow } from "../http/bounds/within-bounds.ts";
import { type CheckedUrl, hostOfDestination, LOOP_MESSAGE, requireDestination } from "../destination.ts";
import { pendingDomain } from "../domains/pending-domain.ts";
import { invalidField, ProblemError } from "../http/problem.ts";
import { compileRecord, defaultStatusOf, readRecord, toPublishedState } from "./compile-record.ts";
import { MAX_TAGS, NO_SUCH_FOLDER, TOO_LONG_FOR_HOST } from "./link-shape.ts";
import { compileSmartChange, type SmartChange, type SmartDeps } from "./smart-change.ts";
import type { SmartInput } from "./smart-shape.ts";
import { LINKS_USED_UP } from "./plan-links.ts";
import type { LinkSet, LinkToChange } from "./store/link-store.ts";
import type { LinkUpdate } from "./store/update-link.ts";

type PlainChange = Omit<LinkUpdate["columns"], "url" | "redirectStatus" | "followsDomainStatus" | "folderId">;
/** What a request changes; what it leaves out stays. */
export type LinkChange = PlainChange & {
  /** Not checked yet. */
  readonly url?: string;
  /** `null`: the domain's default, from now on. */
  readonly redirectStatus?: RedirectStatus | null;
  /** A name or an id; `null`: none. */
  readonly folder?: string | null;
  /** Where there is no such folder any more, the link is in none. */
  readonly isFolderOptional?: true;
  /** To be compiled. */
  readonly smart?: SmartInput;
  /** A password that the link had; `null`: none. Only together with `smart`, in place of its password. */
  readonly passwordHash?: PasswordHash | null;
  /** Beside `tags`, or the tags that the link has. */
  readonly addTags?: readonly string[];
  readonly removeTags?: readonly string[];
  /** An alias that the link gives up. */
  readonly released?: string;
};
export type LinkTarget = LinkSet & {
  readonly linkId: string;
  /** The change applies to these versions only; `null` or absent: to any. */
  readonly ifMatch?: readonly number[] | null;
};

/** Each change of a link is published at all of its addresses. */
const MAX_ALIASES = 20;

/** A change whose folder is found, and whose destination is checked, as far as that takes no database. */
export type PreparedChange = {
  readonly change: Omit<LinkChange, "folder" | "isFolderOptional"> & { readonly folderId?: string | null };
  readonly url: CheckedUrl | undefined;
  readonly destinationHost: string | null;
};

type Known = { readonly appSchemes: AppSchemes; readonly folders: Folders };
type Folders = ReadonlyMap<string, { readonly id: string }>;

/** Throws `ProblemError` for a folder that the workspace does not have, and a destination that is not allowed. */
export function prepareChange(
  { folder, isFolderOptional, ...change }: LinkChange,
  { appSchemes, folders }: Known,
): PreparedChange {
  const folderId = folders.get(folder ?? "")?.id ?? null;
  if (typeof folder === "string" && folderId === null && isFolderOptional !== true) {
    throw invalidField("folder", NO_SUCH_FOLDER);
  }
  const url = change.url === undefined ? undefined : requireDestination(change.url, "url", appSchemes);
  const placed = folder === undefined ? change : { ...change, folderId };
  return { change: placed, url, destinationHost: url === undefined ? null : hostOfDestination(url) };
}

type ChangeToPlan = Pick<PreparedChange, "change" | "url"> & { readonly target: LinkTarget };

/** What is written; `null` when the link has no such alias. Throws `ProblemError` as `changeLink` does. */
export async function planChange(
  stored: LinkToChange,
  { target: { workspaceId, linkId, ifMatch = null }, change, url }: ChangeToPlan,
  deps: SmartDeps,
): Promise<LinkUpdate | null> {
  const {
    smart: input,
    passwordHash,
    url: _unchecked,
    redirectStatus,
    released: named,
    addTags,
    removeTags,
    ...columns
  } = change;
  const released = named !== undefined && stored.ignoresCase ? foldSlug(named) : named;
  if (released !== undefined && !stored.aliases.includes(released)) {
    return null;
  }
  if (ifMatch !== null && !ifMatch.includes(stored.version)) {
    throw new ProblemError("version_mismatch");
  }
  if (stored.pendingToken !== null && change.state !== "deleted") {
    const domain = { id: stored.domainId, host: stored.host, proofToken: stored.pendingToken };
    throw pendingDomain(domain, "domain");
  }
  if (stored.linksLeft === 0) {
    throw new ProblemError("limit_reached", [LINKS_USED_UP]);
  }
  if (stored.isLoop) {
    throw invalidField("url", LOOP_MESSAGE);
  }
  const context = { url: url ?? stored.url, used: stored.cap?.used ?? 0 };
  const compiled = input === undefined ? undefined : await compileSmartChange(input, context, deps);
  const smart =
    compiled === undefined || passwordHash === undefined
      ? compiled
      : { ...compiled, extras: { ...compiled.extras, password: passwordHash ?? undefined } };
  const wanted = {
    ...columns,
    ...planStatus(stored, redirectStatus),
    ...(url === undefined ? {} : { url }),
    ...(addTags === undefined && removeTags === undefined
      ? {}
      : { tags: planTags(columns.tags ?? stored.tags, { add: addTags ?? [], remove: removeTags ?? [] }) }),
  };
  const { folderId = stored.folderId, tags = stored.tags } = wanted;
  const outside = findOutside(boundsNow(), { domainId: stored.domainId, folderId, tags });
  if (outside.length > 0) {
    throw new ProblemError("invalid", outside);
  }
  const update = planUpdate(stored, { columns: wanted, smart });
  return { workspaceId, linkId, released, isLimited: stored.linksLeft !== null, ...update };
}

type TagChange = { readonly add: readonly string[]; readonly remove: readonly string[] };

function planTags(tags: readonly string[], { add, remove }: TagChange): readonly string[] {
  const changed = [...new Set([...tags.filter((tag) => !remove.includes(tag)), ...add])];
  if (changed.length > MAX_TAGS) {
    throw invalidField("addTags", `would give the link more than ${MAX_TAGS} tags: remove some`);
  }
  return changed;
}

type PlannedStatus = Required<Pick<LinkUpdate["columns"], "redirectStatus" | "followsDomainStatus">>;

/** Every change of a link that follows its domain also brings it the domain's current default. */
function planStatus(stored: LinkToChange, wanted: RedirectStatus | null | undefined): PlannedStatus {
  const followsDomainStatus = wanted === undefined ? stored.followsDomainStatus : wanted === null;
  if (followsDomainStatus) {
    return { followsDomainStatus, redirectStatus: defaultStatusOf({ redirectStatus: stored.domainStatus }) };
  }
  return { followsDomainStatus, redirectStatus: wanted ?? defaultStatusOf(stored) };
}

type PlannedChange = {
  readonly columns: LinkUpdate["columns"] & PlannedStatus;
  readonly smart: SmartChange | undefined;
};

function planUpdate(
  stored: LinkToChange,
  { columns, smart }: PlannedChange,
): Omit<LinkUpdate, "workspaceId" | "linkId"> {
  const slug = columns.slug !== undefined && stored.ignoresCase ? foldSlug(columns.slug) : columns.slug;
  const change = slug === undefined ? columns : { ...columns, slug };
  if (slug !== undefined && !fitsKvKey(linkKeyOf(stored.host, slug))) {
    throw invalidField("slug", TOO_LONG_FOR_HOST);
  }
  const isNewAddress = slug !== undefined && slug !== stored.slug && !stored.aliases.includes(slug);
  if (isNewAddress && stored.aliases.length >= MAX_ALIASES) {
    throw invalidField(
      "slug",
      `would leave one alias more than the ${MAX_ALIASES} that a link may have: release some`,
    );
  }
  const state = toPublishedState(change.state ?? stored.state);
  const { cap, followsDomain: _before, ...before } = readRecord(stored.record);
  const isUsedUp = stored.cap !== null && stored.cap.used >= stored.cap.maxClicks;
  const record = {
    ...before,
    ...(cap === undefined ? {} : { cap: { mode: cap.mode, isUsedUp } }),
    ...smart?.extras,
    url: change.url ?? stored.url,
    redirectStatus: columns.redirectStatus,
    ...(columns.followsDomainStatus ? { followsDomain: true as const } : {}),
  };
  return {
    fromVersion: stored.version,
    columns: change,
    smart,
    record: compileRecord({ ...record, state }),
  };
}
