/** What follows signing in: nothing that was read before holds, and the wanted page opens, or the workspace that they joined. */
import { useRouter } from "@tanstack/react-router";
import { forgetSession } from "./other-tabs.ts";
import { ownPage } from "./own-page.ts";

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
