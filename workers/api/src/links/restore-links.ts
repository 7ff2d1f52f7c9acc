/** Brings links back from the trash: each as a new version that is as its last one before the deletion, and is published like an edit. */
import type { ChangeLinkDeps } from "./change-link.ts";
import { changeLinks, type Refused } from "./change-links.ts";
import { toRevertedChange } from "./to-reverted-change.ts";
import { findLinkAddresses } from "./store/link-store.ts";
import { findTrashed, type RestorableLink } from "./store/trash-store.ts";

/** One result for each of the links, no two of which are the same; `null`: it is there, also if it had been restored before. */
export async function restoreLinks(
  linkIds: readonly string[],
  workspaceId: string,
  deps: ChangeLinkDeps,
): Promise<readonly (Refused | null)[]> {
  const { database } = deps;
  const trashed = new Map((await findTrashed(database, workspaceId, linkIds)).map((link) => [link.id, link]));
  const changes = [...trashed.values()]
    .filter(({ isDomainGone }) => !isDomainGone)
    .map((link) => ({ linkId: link.id, ifMatch: null, change: toRevertedChange(link) }));
  const refused = await changeLinks(changes, { workspaceId, isInTrash: true }, deps);
  const results = new Map(changes.map(({ linkId }, index) => [linkId, refused[index] ?? null]));
  const missed = linkIds.filter((id) => !trashed.has(id) || results.get(id)?.code === "not_found");
  // Of which some are there: restored before, or by another request.
  const there = missed.length === 0 ? new Map() : await findLinkAddresses(database, workspaceId, missed);
  return linkIds.map((id) => {
    const link = trashed.get(id);
    if (there.has(id)) {
      return null;
    }
    if (link === undefined) {
      return { code: "not_found", errors: [] };
    }
    return link.isDomainGone ? toDomainGone(link) : (results.get(id) ?? null);
  });
}

function toDomainGone({ host }: RestorableLink): Refused {
  const message = `${host} is no longer a domain of this workspace, and its links went with it: create the link on another domain`;
  return { code: "no_domain", errors: [{ path: "domain", message }] };
}
