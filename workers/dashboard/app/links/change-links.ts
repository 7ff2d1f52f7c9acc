/** Changes of many links at once, and the way back. */
import type { HoplineClient } from "@hopline/client/client";
import type { BulkUpdateItem, Link } from "@hopline/client/openapi";

/** As many as the API takes at once. */
const MAX_ITEMS = 500;

export type Change = Pick<BulkUpdateItem, "status" | "folderId" | "addTags" | "removeTags" | "tags">;

export type Outcome = {
  readonly changed: readonly Link[];
  /** Of links that somebody else has changed meanwhile, or that are gone. */
  readonly refused: number;
};

/** Each link is only changed as it is known here: the version goes with it. */
export async function changeLinks(
  hopline: HoplineClient,
  links: readonly Link[],
  toChange: (link: Link) => Change,
): Promise<Outcome> {
  const changed: Link[] = [];
  for (const some of inSlices(links)) {
    const items = some.map((link) => ({ id: link.id, version: link.version, ...toChange(link) }));
    const { results } = await hopline.updateLinks({ body: { items } });
    changed.push(...results.flatMap(({ link }) => link ?? []));
  }
  return { changed, refused: links.length - changed.length };
}

/** What puts a link back as it was before a change of this kind. */
export function toUndo(before: Link): Change {
  const { status, folderId, tags } = before;
  return { status: status === "disabled" || status === "archived" ? status : "live", folderId, tags };
}

/** Resolves to how many there were. */
export async function deleteLinks(hopline: HoplineClient, links: readonly Link[]): Promise<number> {
  let deleted = 0;
  for (const some of inSlices(links)) {
    const result = await hopline.deleteLinks({ body: { items: some.map(({ id }) => ({ id })) } });
    deleted += result.deleted;
  }
  return deleted;
}

function inSlices<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / MAX_ITEMS) }, (_, index) =>
    items.slice(index * MAX_ITEMS, (index + 1) * MAX_ITEMS),
  );
}
