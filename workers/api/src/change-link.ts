/** Changes a link: compiles the new record, commits it in the next version, publishes it. */
import { linkKeyOf } from "@hopline/core/link-address";
import { encodeLinkRecord, REDIRECT_STATUSES } from "@hopline/core/link-record";
import type { Publisher } from "./publishing/publish-changes.ts";
import type { Database } from "./store/database.ts";
import { findLink, type StoredLink } from "./store/link-store.ts";
import { type LinkUpdate, updateLink } from "./store/update-link.ts";

export type ChangeLinkDeps = { readonly database: Database; readonly publisher: Publisher };
export type LinkChange = LinkUpdate["columns"];

/** Two people who edit one link at the same moment both succeed, one after the other. */
const MAX_TRIES = 5;

/** Returns the new version, or `null` when the workspace has no such link. */
export async function changeLink(
  { workspaceId, linkId }: { readonly workspaceId: string; readonly linkId: string },
  change: LinkChange,
  deps: ChangeLinkDeps,
): Promise<number | null> {
  for (let attempt = 1; attempt <= MAX_TRIES; attempt += 1) {
    const stored = await findLink(deps.database, workspaceId, linkId);
    if (stored === null) {
      return null;
    }
    const lease = deps.publisher.newLease();
    const update = planUpdate(stored, change);
    const changes = await updateLink(deps.database, { workspaceId, linkId, ...update }, lease);
    if (changes !== null) {
      await deps.publisher.publish(changes, lease);
      return update.version;
    }
  }
  throw new Error("invariant: of five writers of one link, one gets through each time");
}

function planUpdate(stored: StoredLink, change: LinkChange): Omit<LinkUpdate, "workspaceId" | "linkId"> {
  const version = stored.version + 1;
  const state = change.state ?? stored.state;
  const redirectStatus = change.redirectStatus ?? stored.redirectStatus;
  const record = {
    linkId: stored.id,
    version,
    url: change.url ?? stored.url,
    redirectStatus: REDIRECT_STATUSES.find((known) => known === redirectStatus) ?? 302,
  };
  const hasMoved = change.slug !== undefined && change.slug !== stored.slug;
  return {
    version,
    columns: change,
    record: encodeLinkRecord(state === "deleted" ? { ...record, state, url: "" } : { ...record, state }),
    left: hasMoved
      ? {
          key: linkKeyOf(stored.host, stored.slug),
          linkId: stored.id,
          version,
          recordText: encodeLinkRecord({ ...record, state: "deleted", url: "" }),
        }
      : null,
  };
}
