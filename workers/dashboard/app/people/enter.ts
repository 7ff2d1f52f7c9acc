/** The way in, and what follows signing in: nothing that was read before holds, and the wanted page opens, or the workspace that they joined. */
import { useRouter } from "@tanstack/react-router";
import { hopline } from "../caches.ts";
import { forgetSession } from "./other-tabs.ts";
import { ownPage } from "./own-page.ts";

/** Leads to an identity provider, which leads back. */
export async function signInWith(provider: string, returnTo: string): Promise<void> {
  const { location: address } = await hopline.startSignIn({ body: { provider, returnTo } });
  location.assign(address);
}

export function useEnter(next?: string) {
  const router = useRouter();
  return async (signedIn?: { readonly workspaceId?: string | undefined }) => {
    forgetSession();
    const joined = signedIn?.workspaceId;
    const own = ownPage(next ?? (joined && `/w/${joined}`), location.origin);
    if (own !== undefined) {
      router.history.replace(own);
    } else {
      await router.navigate({ to: "/", replace: true });
    }
  };
}
