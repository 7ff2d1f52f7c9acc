/** Changes a link: compiles the new record, commits it in the next version, publishes it. */
import { foldSlug, linkKeyOf } from "@hopline/core/link/link-address";
import {
  encodeLinkRecord,
  type LinkState,
  REDIRECT_STATUSES,
  type RedirectStatus,
} from "@hopline/core/link/link-record";
import { compileRecord, readRecord } from "./compile-record.ts";
import { defaultStatusOf } from "./default-status.ts";
import { type AppSchemes, hostOfDestination, LOOP_ERROR, requireDestination } from "./destination.ts";
import { ProblemError } from "../http/problem.ts";
import type { SmartInput } from "./smart-shape.ts";
import { compileSmartChange, type SmartChange } from "./smart-change.ts";
import type { Publisher } from "../publishing/publish-changes.ts";
import { type Database, failureOf, isBehindAddress } from "../database.ts";
import type { StoredState } from "./store/link-columns.ts";
import { findLinkToChange, type LinkToChange } from "./store/link-store.ts";
import { type LinkUpdate, updateLink } from "./store/update-link.ts";

export type ChangeLinkDeps = {
  readonly database: Database;
  readonly publisher: Publisher;
  readonly appSchemes: AppSchemes;
};
type PlainChange = Omit<LinkUpdate["columns"], "url" | "redirectStatus" | "followsDomainStatus">;
/** What a request names; what it leaves out stays. */
export type LinkChange = PlainChange & {
  /** Not checked yet. */
  readonly url?: string;
  /** `null`: the domain's, from now on. */
  readonly redirectStatus?: RedirectStatus | null;
  /** To be compiled. */
  readonly smart?: SmartInput;
};
export type LinkTarget = {
  readonly workspaceId: string;
  readonly linkId: string;
  /** The versions that the caller will have changed; `null` or absent: any. */
  readonly ifMatch?: readonly number[] | null;
};

/** Two people who edit one link at the same moment both succeed, one after the other. */
const MAX_TRIES = 5;

/**
 * Returns the new version, or `null` when the workspace has no such link. Throws `ProblemError` for a version that the
 * caller did not expect, a destination that is not allowed, a taken slug or external id.
 */
export async function changeLink(
  { workspaceId, linkId, ifMatch = null }: LinkTarget,
  change: LinkChange,
  deps: ChangeLinkDeps,
): Promise<number | null> {
  const { smart: input, url: newUrl, redirectStatus, ...columns } = change;
  const url = newUrl === undefined ? undefined : requireDestination(newUrl, "url", deps.appSchemes);
  const destinationHost = url === undefined ? null : hostOfDestination(url);
  const query = { workspaceId, linkId, slug: change.slug, destinationHost };
  for (let attempt = 1; attempt <= MAX_TRIES; attempt += 1) {
    const stored = await findLinkToChange(deps.database, query);
    if (stored === null) {
      return null;
    }
    if (ifMatch !== null && !ifMatch.includes(stored.version)) {
      throw new ProblemError("version_mismatch");
    }
    if (stored.isLoop) {
      throw new ProblemError("invalid", [LOOP_ERROR]);
    }
    const lease = deps.publisher.newLease();
    const context = { url: url ?? stored.url, used: stored.cap?.used ?? 0 };
    const smart = input === undefined ? undefined : await compileSmartChange(input, context, deps);
    const status = planStatus(stored, redirectStatus);
    const named = { ...columns, ...status, ...(url === undefined ? {} : { url }) };
    const update = planUpdate(stored, { columns: named, smart });
    const changes = await updateLink(deps.database, { workspaceId, linkId, ...update }, lease).catch(
      explainTaken,
    );
    if (changes !== null) {
      await deps.publisher.publish(changes, lease);
      return update.version;
    }
  }
  throw new Error("invariant: of five writers of one link, one gets through each time");
}

type PlannedStatus = Required<Pick<LinkUpdate["columns"], "redirectStatus" | "followsDomainStatus">>;

/** A link that follows its domain's default gets it with every change, whatever it had. */
function planStatus(stored: LinkToChange, wanted: RedirectStatus | null | undefined): PlannedStatus {
  const followsDomainStatus = wanted === undefined ? stored.followsDomainStatus : wanted === null;
  if (followsDomainStatus) {
    return { followsDomainStatus, redirectStatus: defaultStatusOf({ redirectStatus: stored.domainStatus }) };
  }
  return { followsDomainStatus, redirectStatus: wanted ?? toRedirectStatus(stored.redirectStatus) };
}

function toRedirectStatus(stored: number): RedirectStatus {
  return REDIRECT_STATUSES.find((known) => known === stored) ?? 302;
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
  const hasMoved = change.slug !== undefined && change.slug !== stored.slug;
  const version = Math.max(stored.version + 1, hasMoved ? stored.firstVersionAtSlug : 1);
  const state = toPublishedState(change.state ?? stored.state);
  const { cap, ...before } = readRecord(stored.record);
  const isUsedUp = stored.cap !== null && stored.cap.used >= stored.cap.maxClicks;
  const record = {
    ...before,
    ...(cap === undefined ? {} : { cap: { mode: cap.mode, isUsedUp } }),
    ...smart?.extras,
    linkId: stored.id,
    version,
    url: change.url ?? stored.url,
    redirectStatus: columns.redirectStatus,
  };
  return {
    fromVersion: stored.version,
    version,
    columns: change,
    smart,
    record: state === "deleted" ? toTombstone(stored.id, version) : compileRecord({ ...record, state }),
    left: hasMoved
      ? {
          key: linkKeyOf(stored.host, stored.slug),
          linkId: stored.id,
          version,
          recordText: toTombstone(stored.id, version),
        }
      : null,
  };
}

function toTombstone(linkId: string, version: number): string {
  return encodeLinkRecord({ linkId, version, state: "deleted", url: "", redirectStatus: 302 });
}

/** An archived link has ended: to visitors that is the same as a disabled one (410), so the edge learns no new word. */
export function toPublishedState(state: StoredState): LinkState {
  return state === "archived" ? "disabled" : state;
}

/** `null`: to be planned anew, on what is there now. */
function explainTaken(error: unknown): null {
  if (isBehindAddress(error)) {
    return null;
  }
  const { constraint } = failureOf(error);
  if (constraint === "links_by_address") {
    throw new ProblemError("slug_taken", [{ path: "slug", message: "Choose another one." }]);
  }
  if (constraint === "links_by_external_id") {
    throw new ProblemError("external_id_taken", [{ path: "externalId", message: "Choose another one." }]);
  }
  throw error;
}
