/**
 * What was read: the person's own, and of each workspace in a cache of its own, with the client that asks for it. So nothing of
 * one workspace is shown or written in another, whatever still runs when it is opened.
 */
import { createClient, type HoplineClient } from "@hopline/client/client";
import { MutationCache, QueryCache, QueryClient, useQueryClient } from "@tanstack/react-query";
import { hasCode, isSignedOut } from "./api.ts";
import { sendFreshly } from "./people/fresh-sign-in.ts";

class ApiCache extends QueryClient {
  readonly hopline: HoplineClient;

  constructor(workspaceId: string | null) {
    super({
      queryCache: new QueryCache({ onError: heed }),
      mutationCache: new MutationCache({ onError: heed }),
      // The client of the API tries again by itself.
      defaultOptions: { queries: { retry: false, staleTime: 15_000 }, mutations: { retry: false } },
    });
    this.hopline = createClient({
      baseUrl: location.origin,
      fetch: sendFreshly,
      ...(workspaceId === null ? {} : { workspace: workspaceId }),
    });
  }
}

let onSignedOut: () => void = () => undefined;

/** Called when a session turns out to have ended. */
export function whenSignedOut(act: () => void): void {
  onSignedOut = act;
}

/** What a refusal says about the session or the workspace concerns all pages. */
export function heed(error: unknown): void {
  if (isSignedOut(error)) {
    onSignedOut();
  } else if (hasCode(error, "workspace_not_found")) {
    // The pages of a workspace that is no longer in the list say so.
    void ownCache.invalidateQueries({ queryKey: ["workspaces"] });
  }
}

/** Who is signed in, and which workspaces they are in. */
export const ownCache = new ApiCache(null);
/** Asks for what is the person's own, and signs in. */
export const { hopline } = ownCache;

const ofWorkspaces = new Map<string, ApiCache>();

export function cacheOf(workspaceId: string): ApiCache {
  const cache = ofWorkspaces.get(workspaceId) ?? new ApiCache(workspaceId);
  ofWorkspaces.set(workspaceId, cache);
  return cache;
}

/** Nothing that was read holds. */
export function clearCaches(): void {
  ownCache.clear();
  ofWorkspaces.forEach((cache) => cache.clear());
  ofWorkspaces.clear();
}

/** The client that asks for what is in this cache. */
export function hoplineOf(cache: QueryClient): HoplineClient {
  if (cache instanceof ApiCache) {
    return cache.hopline;
  }
  throw new Error("invariant: every cache is an ApiCache");
}

/** The client of the workspace whose page this is, and elsewhere of what is the person's own. */
export function useHopline(): HoplineClient {
  return hoplineOf(useQueryClient());
}
