/** Changes a link: compiles the new record, commits it in the next version, publishes it. */
import { foldSlug, linkKeyOf } from "@hopline/core/link-address";
import { encodeLinkRecord, type LinkState, REDIRECT_STATUSES } from "@hopline/core/link-record";
import { compileRecord, readRecord } from "./compile-record.ts";
import { hostOfDestination, LOOP_ERROR } from "./destination.ts";
import { ProblemError } from "./problem.ts";
import type { SmartInput } from "./smart-shape.ts";
import { compileSmartChange, type SmartChange } from "./smart-change.ts";
import type { Publisher } from "./publishing/publish-changes.ts";
import { type Database, failureOf, isBehindAddress } from "./store/database.ts";
import type { StoredState } from "./store/link-columns.ts";
import { findLinkToChange, type LinkToChange } from "./store/link-store.ts";
import { type LinkUpdate, updateLink } from "./store/update-link.ts";

export type ChangeLinkDeps = { readonly database: Database; readonly publisher: Publisher };
/** `smart`: the request's fields, to be compiled. */
export type LinkChange = LinkUpdate["columns"] & { readonly smart?: SmartInput };
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
 * caller did not expect, a loop, a taken slug or external id.
 */
export async function changeLink(
  { workspaceId, linkId, ifMatch = null }: LinkTarget,
  change: LinkChange,
  deps: ChangeLinkDeps,
): Promise<number | null> {
  const destinationHost = change.url === undefined ? null : hostOfDestination(change.url);
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
    const { smart: input, ...columns } = change;
    const context = { url: change.url ?? stored.url, used: stored.cap?.used ?? 0 };
    const smart = input === undefined ? undefined : await compileSmartChange(input, context, deps.database);
    const update = planUpdate(stored, { columns, smart });
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

type PlannedChange = {
  readonly columns: LinkUpdate["columns"];
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
  const redirectStatus = change.redirectStatus ?? stored.redirectStatus;
  const { cap, ...before } = readRecord(stored.record);
  const isUsedUp = stored.cap !== null && stored.cap.used >= stored.cap.maxClicks;
  const record = {
    ...before,
    ...(cap === undefined ? {} : { cap: { mode: cap.mode, isUsedUp } }),
    ...smart?.extras,
    linkId: stored.id,
    version,
    url: change.url ?? stored.url,
    redirectStatus: REDIRECT_STATUSES.find((known) => known === redirectStatus) ?? 302,
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
