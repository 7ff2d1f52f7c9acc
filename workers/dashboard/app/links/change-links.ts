/** Changes of many links at once, and the way back. */
import type { HoplineClient } from "@hopline/client/client";
import type { BulkUpdateItem, Link } from "@hopline/client/openapi";
import { STATUSES } from "./links-search.ts";
import { REFUSALS, NAMES_OF_FIELDS, t } from "./words.ts";

/** As many as the API takes at once. */
const MAX_ITEMS = 500;

export type Change = Pick<
  BulkUpdateItem,
  "status" | "folder" | "addTags" | "removeTags" | "tags" | "expiresAt" | "utm"
>;

export type Outcome = {
  readonly changed: readonly Link[];
  /** Of links that somebody else has changed meanwhile, or that are gone. */
  readonly overtaken: number;
  /** Why others can't be changed so, each reason once. */
  readonly refusals: readonly string[];
};

/** Each link is only changed as it is known here: the version goes with it. */
export async function changeLinks(
  hopline: HoplineClient,
  links: readonly Link[],
  toChange: (link: Link) => Change,
): Promise<Outcome> {
  const changed: Link[] = [];
  const refusals = new Set<string>();
  let overtaken = 0;
  for (const some of inSlices(links)) {
    const items = some.map((link) => ({ id: link.id, version: link.version, ...toChange(link) }));
    const { results } = await hopline.updateLinks({ body: { items } });
    changed.push(...results.flatMap(({ link }) => link ?? []));
    results.forEach(({ link, errors: [fault] = [] }) => {
      if (link === undefined && fault === undefined) {
        overtaken += 1;
      } else if (fault !== undefined) {
        refusals.add(`${NAMES_OF_FIELDS[fault.path] ?? t.aChange} ${fault.message}.`);
      }
    });
  }
  return { changed, overtaken, refusals: [...refusals] };
}

/** What puts a link back as it was before a change. */
export function toUndo(before: Link, change: Change): Change {
  const { status, folderId, tags, expiresAt, utm } = before;
  return {
    ...("status" in change
      ? { status: status === "disabled" || status === "archived" ? status : ("live" as const) }
      : {}),
    ...("folder" in change ? { folder: folderId } : {}),
    ...("addTags" in change || "removeTags" in change ? { tags } : {}),
    ...("expiresAt" in change ? { expiresAt } : {}),
    ...("utm" in change ? { utm } : {}),
  };
}

/** Of one export; the address holds their ids. */
const MAX_EXPORTED = 150;

/** A file of these links, as the list's own. */
export async function exportLinks(hopline: HoplineClient, links: readonly Link[]): Promise<Blob> {
  const parts: string[] = [];
  for (const some of inSlices(links, MAX_EXPORTED)) {
    const file = await hopline.exportLinks({
      id: some.map(({ id }) => id),
      status: [...STATUSES],
      format: "csv",
    });
    const text = await file.text();
    // The names of the columns once.
    parts.push(parts.length === 0 ? text : text.slice(text.indexOf("\n") + 1));
  }
  return new Blob(parts, { type: "text/csv" });
}

/** Resolves to those that are in the trash now. */
export async function deleteLinks(
  hopline: HoplineClient,
  links: readonly Pick<Link, "id">[],
): Promise<readonly string[]> {
  const deleted: string[] = [];
  for (const some of inSlices(links)) {
    const items = some.map(({ id }) => ({ id }));
    const { results } = await hopline.deleteLinks({ body: { items } });
    deleted.push(...items.flatMap(({ id }, index) => (results[index]?.status === 204 ? id : [])));
  }
  return deleted;
}

type Restored = {
  readonly restored: number;
  /** Why others were not, each reason once. */
  readonly refusals: readonly string[];
};

export async function restoreLinks(hopline: HoplineClient, ids: readonly string[]): Promise<Restored> {
  const refusals = new Set<string>();
  let restored = 0;
  for (const some of inSlices(ids)) {
    const answer = await hopline.restoreLinks({ body: { items: some.map((id) => ({ id })) } });
    restored += answer.restored;
    answer.results.forEach(({ code, errors = [] }) => {
      if (code !== undefined) {
        refusals.add(REFUSALS[code] ?? errors[0]?.message ?? t.itCouldNotBeRestored);
      }
    });
  }
  return { restored, refusals: [...refusals] };
}

/** Those of the trash with these ids, or all: with their clicks and for good. Resolves to how many there were. */
export async function destroyLinks(hopline: HoplineClient, ids: readonly string[] | null): Promise<number> {
  const found = ids ?? (await Array.fromAsync(hopline.listTrash({ limit: 100 }), ({ id }) => id));
  let destroyed = 0;
  for (const some of inSlices(found)) {
    const items = some.map((id) => ({ id }));
    destroyed += (await hopline.deleteLinks({ body: { items, clicks: "delete" } })).deleted;
  }
  return destroyed;
}

function inSlices<Item>(items: readonly Item[], size = MAX_ITEMS): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
