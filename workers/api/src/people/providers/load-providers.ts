/** The client of identity providers, loaded with the first request that needs it and kept for the isolate's life. */
import type { createProviderClient, ProviderClient } from "./provider-client.ts";

export type LoadProviders = () => Promise<ProviderClient>;

export function createProviderLoader(deps: Parameters<typeof createProviderClient>[0]): LoadProviders {
  let held: ProviderClient | undefined;
  return async () => {
    held ??= (await import("./provider-client.ts")).createProviderClient(deps);
    return held;
  };
}
