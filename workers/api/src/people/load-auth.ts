/** better-auth, loaded with the first request that needs it and kept for the isolate's life. */
import type { Auth, AuthDeps } from "./auth.ts";

export type LoadAuth = () => Promise<Auth>;

export function createAuthLoader(deps: AuthDeps): LoadAuth {
  let held: Auth | undefined;
  return async () => {
    // Only what is whole is kept: workerd does not let a request wait for another one's promise.
    if (held === undefined) {
      const { createAuth } = await import("./auth.ts");
      held = await createAuth(deps);
    }
    return held;
  };
}
