/** Changes a link: reads it, plans the change (plan-link-change.ts), commits it as the next version, publishes it. */
import type { AppSchemes } from "../api-deps.ts";
import { type Database, failureOf } from "../database.ts";
import { findFolders } from "../folders/folder-store.ts";
import { invalidField, ProblemError } from "../http/problem.ts";
import type { Turns } from "../in-turn.ts";
import type { EnqueuedChange, Lease } from "../publishing/outbox.ts";
import type { Publisher } from "../publishing/publish-changes.ts";
import {
  type LinkChange,
  type LinkTarget,
  planChange,
  prepareChange,
  type PreparedChange,
} from "./plan-link-change.ts";
import { TOO_MANY_FORWARDS } from "./link-shape.ts";
import { findLinksToChange } from "./store/link-store.ts";
import { updateLinks } from "./store/update-link.ts";

export type ChangeLinkDeps = {
  readonly database: Database;
  readonly publisher: Publisher;
  readonly appSchemes: AppSchemes;
  readonly turns: Turns;
};
/** Writers in one isolate take turns. Of those in several one succeeds each time: so many lose to them rarely. */
const MAX_TRIES = 20;

/**
 * Returns the new version, or `null` when the workspace has no such link, or the link no such alias. Throws `ProblemError` for a version that the
 * caller did not expect, a destination that is not allowed, a taken slug or external id, too many others who change it.
 */
export async function changeLink(
  target: LinkTarget,
  change: LinkChange,
  deps: ChangeLinkDeps,
): Promise<number | null> {
  const { workspaceId } = target;
  const folders = await findFolders(deps.database, workspaceId, [change.folder]);
  const prepared = prepareChange(change, { ...deps, folders });
  const lease = deps.publisher.newLease();
  const written = await deps.turns(`${workspaceId} ${target.linkId}`, () =>
    writeChange(target, { ...prepared, lease }, deps),
  );
  if (written === null) {
    return null;
  }
  await deps.publisher.publish(written.changes, lease);
  return written.version;
}

type Written = { readonly version: number; readonly changes: readonly EnqueuedChange[] };

/** Reads the link, decides, and writes it, unless it was written since: then once more. */
async function writeChange(
  target: LinkTarget,
  { lease, ...prepared }: PreparedChange & { readonly lease: Lease },
  deps: ChangeLinkDeps,
): Promise<Written | null> {
  const { destinationHost } = prepared;
  const { linkId } = target;
  for (let attempt = 1; attempt <= MAX_TRIES; attempt += 1) {
    const [stored] = await findLinksToChange(deps.database, target, [{ linkId, destinationHost }]);
    if (stored === undefined) {
      return null;
    }
    const update = await planChange(stored, { target, ...prepared }, deps);
    if (update === null) {
      return null;
    }
    const { versions, changes } = await updateLinks(deps.database, [update], lease).catch(explainTaken);
    const [version] = versions.values();
    if (version !== undefined) {
      return { version, changes };
    }
  }
  throw new ProblemError("busy");
}

function explainTaken(error: unknown): never {
  const { constraint } = failureOf(error);
  if (constraint === "links_by_address") {
    throw new ProblemError("slug_taken", [{ path: "slug", message: "is taken: choose another one" }]);
  }
  if (constraint === "forwards_of_domain") {
    throw invalidField("slug", TOO_MANY_FORWARDS);
  }
  if (constraint === "links_by_external_id") {
    throw new ProblemError("external_id_taken", [
      { path: "externalId", message: "is taken: choose another one" },
    ]);
  }
  throw error;
}
