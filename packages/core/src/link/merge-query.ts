/**
 * Joins parameters to a URL by cutting and gluing raw text: what is kept is kept byte for byte, nothing is decoded and
 * encoded again. A URL takes a query when it has an authority (`scheme://`); `tel:` and `mailto:` are left alone.
 */
import { splitQuery, type RawParameter } from "./raw-query.ts";

/** Who keeps a parameter that both sides have; repeated ones of the winner are all kept, those of the loser all go. */
export type Winner = "url" | "added";

/** `url` with `added` in its query, before its fragment. With nothing to add, `url` itself. */
export function mergeQuery(url: string, added: readonly RawParameter[], winner: Winner): string {
  if (added.length === 0 || !takesQuery(url)) {
    return url;
  }
  const hash = url.indexOf("#");
  const beforeHash = hash === -1 ? url : url.slice(0, hash);
  const mark = beforeHash.indexOf("?");
  const base = mark === -1 ? beforeHash : beforeHash.slice(0, mark);
  const own = mark === -1 ? "" : beforeHash.slice(mark + 1);
  const query = winner === "added" ? replaceIn(own, added) : completeWith(own, added);
  if (query === own) {
    return url;
  }
  return `${base}?${query}${hash === -1 ? "" : url.slice(hash)}`;
}

function replaceIn(own: string, added: readonly RawParameter[]): string {
  const names = new Set(added.map(({ name }) => name));
  const ownParameters = splitQuery(own);
  const kept = ownParameters.filter(({ name }) => !names.has(name));
  return append(kept.length === ownParameters.length ? own : glue(kept), added);
}

function completeWith(own: string, added: readonly RawParameter[]): string {
  const names = new Set(splitQuery(own).map(({ name }) => name));
  return append(
    own,
    added.filter(({ name }) => !names.has(name)),
  );
}

function append(query: string, added: readonly RawParameter[]): string {
  if (added.length === 0) {
    return query;
  }
  return query === "" || query.endsWith("&") ? query + glue(added) : `${query}&${glue(added)}`;
}

function glue(parameters: readonly RawParameter[]): string {
  return parameters.map(({ raw }) => raw).join("&");
}

function takesQuery(url: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(url);
}
