/** What several pages read, by its name in the cache. */
import type { Workspace } from "@hopline/client/openapi";
import type { HoplineClient } from "@hopline/client/client";
import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryKey,
  queryOptions,
  useSuspenseQuery,
} from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { hopline, hoplineOf, ownCache } from "./caches.ts";

type Options = { readonly signal: AbortSignal };

/** What the API is asked, with the client of the cache that the answer is kept in. */
export function ask<Answer>(
  queryKey: QueryKey,
  send: (hopline: HoplineClient, options: Options) => PromiseLike<Answer>,
) {
  return queryOptions({
    queryKey,
    queryFn: async ({ client, signal }) => send(hoplineOf(client), { signal }),
  });
}

/** All of a list that has an end. */
export function askAll<Row>(queryKey: QueryKey, list: (hopline: HoplineClient) => AsyncIterable<Row>) {
  return ask(queryKey, (hopline) => Array.fromAsync(list(hopline)));
}

export type Page<Row> = { readonly data: readonly Row[]; readonly nextCursor: string | null };
type Cursor = { readonly cursor?: string };

/** The same of a list that is read page by page; `page` says which. */
export function askPages<Row>(
  queryKey: QueryKey,
  send: (hopline: HoplineClient, page: Cursor, options: Options) => PromiseLike<Page<Row>>,
) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: async ({ client, pageParam, signal }): Promise<Page<Row>> =>
      send(hoplineOf(client), pageParam === null ? {} : { cursor: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextCursor,
  });
}

/** The rows of all pages that were read. */
export function rowsOf<Row>({ data }: { readonly data: InfiniteData<Page<Row>> | undefined }): Row[] {
  return data?.pages.flatMap((page) => page.data) ?? [];
}

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: async ({ signal }) => {
    const me = await hopline.readMe({}, { signal });
    if (!("email" in me)) {
      throw new Error("invariant: the dashboard sends the session's cookie, and no key");
    }
    return me;
  },
  staleTime: 5 * 60_000,
});

export const workspacesQuery = queryOptions({
  queryKey: ["workspaces"],
  queryFn: () => Array.fromAsync(hopline.listWorkspaces()),
  staleTime: 5 * 60_000,
});

export const domainsQuery = {
  ...askAll(["domains"], (own) => own.listDomains({ limit: 100 })),
  staleTime: 60_000,
};
export const foldersQuery = {
  ...askAll(["folders"], (own) => own.listFolders({ limit: 100 })),
  staleTime: 60_000,
};
export const tagsQuery = {
  ...askAll(["tags"], (own) => own.listTags({ limit: 100 })),
  staleTime: 60_000,
};

export function membersQuery(workspaceId: string) {
  return askAll(["members", workspaceId], (own) => own.listMembers({ workspaceId, limit: 100 }));
}

export const keysQuery = askAll(["keys"], (own) => own.listKeys({ limit: 100 }));

/** Providers, and whether there are emails: the deployment's settings, so as long as the page is open. */
export const signInOptionsQuery = queryOptions({
  queryKey: ["sign-in-options"],
  queryFn: () => hopline.readSignInOptions(),
  staleTime: Number.POSITIVE_INFINITY,
});

const RANKS = ["viewer", "editor", "admin", "owner"] as const;
type Role = (typeof RANKS)[number];

export function isAtLeast(role: Workspace["role"], least: Role): boolean {
  return role !== null && RANKS.indexOf(role) >= RANKS.indexOf(least);
}

/** The person who has signed in. Within the signed-in pages only, as what follows. */
export function useMe() {
  return useSuspenseQuery(meQuery, ownCache).data;
}

/** Those that they are in. */
export function useWorkspaces() {
  return useSuspenseQuery(workspacesQuery, ownCache).data;
}

/** The one of the address: its id, and the rest of it once they are in it. */
export function useWorkspace() {
  const { workspaceId } = useParams({ from: "/signed-in/w/$workspaceId" });
  const found = useWorkspaces().find(({ id }) => id === workspaceId);
  return {
    id: workspaceId,
    name: found?.name ?? "",
    role: found?.role ?? null,
    bounds: found?.bounds ?? null,
    qrPresets: found?.qrPresets ?? [],
    defaults: found?.defaults ?? null,
  };
}

/** Whether they may do there what needs this role. */
export function useMay(least: Role): boolean {
  return isAtLeast(useWorkspace().role, least);
}
