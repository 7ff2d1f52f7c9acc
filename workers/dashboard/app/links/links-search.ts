/** The list's filters and order, as the address holds them. Pure. */
import type { Link } from "@hopline/client/openapi";
import { normaliseSlug } from "@hopline/core/link/link-address";
import { LINK_SORTS, type LinkSort } from "@hopline/core/link/link-sorts";
import { choiceIn, compact, type RawSearch, textIn, textsIn } from "../search-params.ts";

export const STATUSES = ["live", "scheduled", "disabled", "expired", "used-up", "archived"] as const;
export type LinkStatus = Link["status"];

export type LinksSearch = {
  readonly q?: string;
  readonly tag?: string[];
  readonly folder?: string;
  readonly domain?: string;
  readonly status?: LinkStatus[];
  readonly sort?: LinkSort;
};

/** In place of a folder's id, as the API takes it. */
export const NO_FOLDER = "none";

/** A part of it that changes; `undefined` removes a filter. */
export type ClearableSearch = { readonly [Name in keyof LinksSearch]?: LinksSearch[Name] | undefined };

export function toLinksSearch(search: RawSearch): LinksSearch {
  const status = textsIn(search, "status")?.flatMap((text) => STATUSES.filter((one) => one === text));
  return compact({
    q: textIn(search, "q"),
    tag: textsIn(search, "tag"),
    folder: textIn(search, "folder"),
    domain: textIn(search, "domain"),
    status: status?.length === 0 ? undefined : status,
    sort: choiceIn(search, "sort", LINK_SORTS),
  });
}

/** As listLinks, countLinks and exportLinks take them; without the order. */
export function toFilter({ q, tag, folder, domain, status }: LinksSearch) {
  // A whole address that was pasted is a destination. `/spring` is the link at that address, a former one too.
  const url = q !== undefined && /^https?:\/\/[^\s/]+\/\S/i.test(q) ? q : undefined;
  const slug = (q?.startsWith("/") === true ? normaliseSlug(q.slice(1)) : null) ?? undefined;
  return compact({
    slug,
    url,
    search: slug === undefined && url === undefined ? q : undefined,
    "tag.all": tag,
    folder,
    domain,
    status,
  });
}

/** Whether a list with these filters still shows a link that was in it. Without a status it shows those that are not archived. */
export function isStillIn(link: Link, { status, folder, tag = [] }: LinksSearch): boolean {
  const isOfStatus = status === undefined ? link.status !== "archived" : status.includes(link.status);
  const isInFolder = folder === undefined || (link.folderId ?? NO_FOLDER) === folder;
  return isOfStatus && isInFolder && tag.every((name) => link.tags.includes(name));
}

export function hasFilter({ sort: _sort, ...filter }: LinksSearch): boolean {
  return Object.keys(filter).length > 0;
}
