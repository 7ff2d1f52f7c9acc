/** Links that were read, and how a change gets into every list that shows them. */
import type { Call } from "@hopline/client/call";
import type { HoplineClient } from "@hopline/client/client";
import type { Link } from "@hopline/client/openapi";
import {
  infiniteQueryOptions,
  type InfiniteData,
  type QueryClient,
  queryOptions,
} from "@tanstack/react-query";
import { ask, askPages, type Page } from "../queries.ts";
import { compact, type RawSearch } from "../search-params.ts";
import { isStillIn, type LinksSearch, toFilter, toLinksSearch } from "./links-search.ts";

/** As many as the API gives at once. */
const PAGE_SIZE = 100;

export function linkListQuery(search: LinksSearch) {
  return infiniteQueryOptions({
    ...askPages(["links", "list", search], (hopline, page, options) =>
      hopline.listLinks(
        { ...toFilter(search), ...compact({ sort: search.sort }), limit: PAGE_SIZE, ...page },
        options,
      ),
    ),
    // Comparing a hundred thousand rows with themselves costs more than drawing thirty of them.
    structuralSharing: false,
    // A list is read again when somebody asks for it, not page after page behind their back.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
}

export function linkCountQuery(search: LinksSearch) {
  const filter = toFilter(search);
  return ask(["links", "count", filter], (hopline, options) => hopline.countLinks(filter, options));
}

/** A link with the entity tag that a change of it is compared with. */
export type ReadLink = { readonly link: Link; readonly etag: string };

export function linkQuery(linkId: string) {
  return queryOptions({
    ...ask(["link", linkId], (hopline, options) => readLink(hopline, linkId, options)),
    staleTime: 0,
  });
}

export function readLink(hopline: HoplineClient, linkId: string, options = {}): Promise<ReadLink> {
  return toReadLink(hopline.readLink({ linkId }, options));
}

/** Of what answers with a link. */
export async function toReadLink(answer: Call<Link>): Promise<ReadLink> {
  const { data, response } = await answer.withResponse();
  return { link: data, etag: response.headers.get("etag") ?? "" };
}

/**
 * Puts newer links in the place of older ones, wherever they are shown, and takes out those that are gone, at once and where it is.
 * Links leave the lists whose filters they fit no longer.
 */
export async function patchLinks(
  cache: QueryClient,
  newer: readonly Link[],
  gone: readonly string[] = [],
): Promise<void> {
  const byId = new Map<string, Link | null>(newer.map((link) => [link.id, link]));
  gone.forEach((id) => byId.set(id, null));
  const lists = cache.getQueriesData<InfiniteData<Page<Link>>>({ queryKey: ["links", "list"] });
  for (const [queryKey, list] of lists) {
    const search: LinksSearch = toLinksSearch((queryKey[2] ?? {}) as RawSearch);
    if (list?.pages.some(({ data }) => data.some(({ id }) => byId.has(id))) === true) {
      cache.setQueryData<InfiniteData<Page<Link>>>(queryKey, {
        ...list,
        pages: list.pages.map((page) => ({
          ...page,
          data: page.data.flatMap((link) => {
            const now = byId.get(link.id);
            return now === undefined ? link : now !== null && isStillIn(now, search) ? now : [];
          }),
        })),
      });
    }
  }
  await readNumbersAgain(cache);
}

/** Reads lists, numbers, tags again: links were made or deleted, or are in other lists now. */
export async function readListsAgain(cache: QueryClient): Promise<void> {
  await Promise.all([
    cache.resetQueries({ queryKey: ["links", "list"] }),
    cache.invalidateQueries({ queryKey: ["sparklines"] }),
    readNumbersAgain(cache),
  ]);
}

async function readNumbersAgain(cache: QueryClient): Promise<void> {
  const names = [["links", "count"], ["links", "trash"], ["tags"], ["folders"]];
  await Promise.all(names.map((queryKey) => cache.invalidateQueries({ queryKey })));
}
