/**
 * Changes many links, each by the decisions of change-link.ts and with a result of its own. Links that can be written together
 * are: a slice is one transaction and one round of publishing. What a slice could not write, because a name was taken or
 * another edit was faster, is changed on its own.
 */
import { failureOf } from "../database.ts";
import { findFolders } from "../folders/folder-store.ts";
import { type FieldError, ProblemError, type ProblemCode } from "../http/problem.ts";
import { changeLink, type ChangeLinkDeps } from "./change-link.ts";
import { type LinkChange, planChange, type PreparedChange, prepareChange } from "./plan-link-change.ts";
import { findLinksToChange, type LinkSet } from "./store/link-store.ts";
import { type LinkUpdate, updateLinks } from "./store/update-link.ts";

/** No two are of the same link. */
export type WantedChange = {
  readonly linkId: string;
  /** The change applies to these versions only; `null`: to any. */
  readonly ifMatch: readonly number[] | null;
  readonly change: LinkChange;
};

/** `null`: done. */
export type Refused = { readonly code: ProblemCode; readonly errors: readonly FieldError[] };

/** One round of publishing writes this many to KV well within its lease, with some aliases. */
const LINKS_OF_A_SLICE = 100;

/**
 * One result for each change, in their order. Rejects when the database can't be reached; then some may have been changed.
 */
export async function changeLinks(
  wanted: readonly WantedChange[],
  of: LinkSet,
  deps: ChangeLinkDeps,
): Promise<readonly (Refused | null)[]> {
  const refused = new Map<string, Refused>();
  const note = async <Value>(linkId: string, decide: () => Promise<Value> | Value): Promise<Value | null> => {
    try {
      return await decide();
    } catch (error) {
      if (!(error instanceof ProblemError)) {
        throw error;
      }
      refused.set(linkId, { code: error.code, errors: error.errors });
      return null;
    }
  };
  const named = wanted.map(({ change }) => change.folder);
  const folders = await findFolders(deps.database, of.workspaceId, named);
  const prepared = new Map<string, PreparedChange>();
  for (const { linkId, change } of wanted) {
    const ready = await note(linkId, () => prepareChange(change, { ...deps, folders }));
    if (ready !== null) {
      prepared.set(linkId, ready);
    }
  }
  const ready = Array.from(prepared, ([linkId, { destinationHost }]) => ({ linkId, destinationHost }));
  const stored = new Map((await findLinksToChange(deps.database, of, ready)).map((link) => [link.id, link]));
  const planned: LinkUpdate[] = [];
  for (const { linkId, ifMatch } of wanted) {
    const change = prepared.get(linkId);
    const link = stored.get(linkId);
    if (change !== undefined) {
      const update = await note(linkId, () => {
        if (link === undefined) {
          throw new ProblemError("not_found");
        }
        return planChange(link, { target: { ...of, linkId, ifMatch }, ...change }, deps);
      });
      planned.push(...(update === null ? [] : [update]));
    }
  }
  const written = await writeSlices(planned, deps);
  const left = planned.filter(({ linkId }) => !written.has(linkId));
  for (const { linkId } of left) {
    const one = wanted.find((item) => item.linkId === linkId);
    await note(linkId, async () => {
      if (one === undefined || (await changeLink({ ...of, ...one }, one.change, deps)) === null) {
        throw new ProblemError("not_found");
      }
    });
  }
  return wanted.map(({ linkId }) => refused.get(linkId) ?? null);
}

/** The ids of the links that were written. All writers of many links lock them in this order. */
async function writeSlices(
  planned: readonly LinkUpdate[],
  deps: ChangeLinkDeps,
): Promise<ReadonlySet<string>> {
  const ordered = planned.toSorted((one, other) => (one.linkId < other.linkId ? -1 : 1));
  const written = new Set<string>();
  for (let start = 0; start < ordered.length; start += LINKS_OF_A_SLICE) {
    await writeSlice(ordered.slice(start, start + LINKS_OF_A_SLICE), written, deps);
  }
  return written;
}

/** Halves a slice that can't be written: one request may not send some 1,500 others for a taken name in each slice. */
async function writeSlice(
  slice: readonly LinkUpdate[],
  written: Set<string>,
  deps: ChangeLinkDeps,
): Promise<void> {
  const lease = deps.publisher.newLease();
  try {
    const updated = await updateLinks(deps.database, slice, lease);
    for (const linkId of updated.versions.keys()) {
      written.add(linkId);
    }
    await deps.publisher.publish(updated.changes, lease);
  } catch (error) {
    // A name that is taken, or a deadlock: nothing of the slice was written.
    if (!["conflict", "data"].includes(failureOf(error).reason)) {
      throw error;
    }
    if (slice.length > 1) {
      const middle = Math.ceil(slice.length / 2);
      await writeSlice(slice.slice(0, middle), written, deps);
      await writeSlice(slice.slice(middle), written, deps);
    }
  }
}
