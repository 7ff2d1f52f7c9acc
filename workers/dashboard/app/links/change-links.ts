/** Changes of many links at once, and the way back. */
import type { HoplineClient } from "@hopline/client/client";
import type { BulkUpdateItem, Link } from "@hopline/client/openapi";
import { pick } from "../pick.ts";
import { type DraftField, toDraft } from "./link-draft.ts";
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
  const items = links.map((link) => ({ id: link.id, version: link.version, ...toChange(link) }));
  const results = await bySlices(items, (some) => hopline.updateLinks({ body: { items: some } }));
  const refusals = results.flatMap(({ errors: [fault] = [] }) =>
    fault === undefined ? [] : `${NAMES_OF_FIELDS[fault.path] ?? t.aChange} ${fault.message}.`,
  );
  return {
    changed: results.flatMap(({ link }) => link ?? []),
    overtaken: results.filter(({ link, errors = [] }) => link === undefined && errors.length === 0).length,
    refusals: [...new Set(refusals)],
  };
}

/** What puts a link back as it was before a change. */
export function toUndo(before: Link, change: Change): Change {
  const names = Object.keys(change).map((name) => (name.endsWith("Tags") ? "tags" : name));
  return pick(toDraft(before), names as DraftField[]) as Change;
}

/** Of one export; the address holds their ids. */
const MAX_EXPORTED = 150;

/** A file of these links, as the list's own. */
export async function exportLinks(hopline: HoplineClient, links: readonly Link[]): Promise<Blob> {
  const ids = links.map(({ id }) => id);
  const exportSome = async (id: string[]) => {
    const file = await hopline.exportLinks({ id, status: [...STATUSES], format: "csv" });
    return { results: [await file.text()] };
  };
  const parts = await bySlices(ids, exportSome, MAX_EXPORTED);
  // The names of the columns once.
  const rows = parts.map((text, part) => (part === 0 ? text : text.slice(text.indexOf("\n") + 1)));
  return new Blob(rows, { type: "text/csv" });
}

/** Into the trash, or with their clicks and for good. Resolves to the ids of those that are gone. */
export async function deleteLinks(
  hopline: HoplineClient,
  links: readonly Pick<Link, "id">[],
  how: { readonly clicks?: "delete" } = {},
): Promise<readonly string[]> {
  const ids = links.map(({ id }) => ({ id }));
  const results = await bySlices(ids, (items) => hopline.deleteLinks({ body: { items, ...how } }));
  return ids.flatMap(({ id }, index) => (results[index]?.status === 204 ? id : []));
}

type Restored = {
  readonly restored: number;
  /** Why others were not, each reason once. */
  readonly refusals: readonly string[];
};

export async function restoreLinks(hopline: HoplineClient, ids: readonly string[]): Promise<Restored> {
  const links = ids.map((id) => ({ id }));
  const results = await bySlices(links, (items) => hopline.restoreLinks({ body: { items } }));
  const refused = results.filter(({ code }) => code !== undefined);
  const reasons = refused.map(
    ({ code = "", errors = [] }) => REFUSALS[code] ?? errors[0]?.message ?? t.itCouldNotBeRestored,
  );
  return { restored: results.length - refused.length, refusals: [...new Set(reasons)] };
}

/** Of all that is in the trash. */
export async function emptyTrash(hopline: HoplineClient): Promise<readonly string[]> {
  return deleteLinks(hopline, await Array.fromAsync(hopline.listTrash({ limit: 100 })), { clicks: "delete" });
}

type Send<Item, Result> = (some: Item[]) => Promise<{ readonly results: readonly Result[] }>;

/** One after another. */
async function bySlices<Item, Result>(
  items: readonly Item[],
  send: Send<Item, Result>,
  size = MAX_ITEMS,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += size) {
    results.push(...(await send(items.slice(from, from + size))).results);
  }
  return results;
}
