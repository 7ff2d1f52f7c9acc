/** What several pages read, by its name in the cache. */
import type { Me, OwnKey } from "@hopline/client/openapi";
import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import { hopline } from "./api.ts";

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: async ({ signal }) => requirePerson(await hopline.readMe({}, { signal })),
  staleTime: 5 * 60_000,
});

/** The session's cookie goes along, and no key. */
function requirePerson(me: Me | OwnKey): Me {
  if (!("email" in me)) {
    throw new Error("invariant: the dashboard has no key");
  }
  return me;
}

export const workspacesQuery = queryOptions({
  queryKey: ["workspaces"],
  queryFn: () => Array.fromAsync(hopline.listWorkspaces()),
  staleTime: 5 * 60_000,
});

export const domainsQuery = queryOptions({
  queryKey: ["domains"],
  queryFn: () => Array.fromAsync(hopline.listDomains({ limit: 100 })),
  staleTime: 60_000,
});

export const foldersQuery = queryOptions({
  queryKey: ["folders"],
  queryFn: () => Array.fromAsync(hopline.listFolders({ limit: 100 })),
  staleTime: 60_000,
});

export const tagsQuery = queryOptions({
  queryKey: ["tags"],
  queryFn: () => Array.fromAsync(hopline.listTags({ limit: 100 })),
  staleTime: 60_000,
});

/** Providers, and whether there are emails: the deployment's settings, so as long as the page is open. */
export const signInOptionsQuery = queryOptions({
  queryKey: ["sign-in-options"],
  queryFn: () => hopline.readSignInOptions(),
  staleTime: Number.POSITIVE_INFINITY,
});

const RANKS = ["viewer", "editor", "admin", "owner"] as const;
type Role = (typeof RANKS)[number];

export function isAtLeast(role: Me["role"], least: Role): boolean {
  return role !== null && RANKS.indexOf(role) >= RANKS.indexOf(least);
}

/** The person who has signed in, and whether they may do what needs this role. Within the signed-in pages only. */
export function useMe() {
  return useSuspenseQuery(meQuery).data;
}

export function useMay(least: Role): boolean {
  return isAtLeast(useMe().role, least);
}
