/** What follows signing in: nothing that was read before holds, and the page that somebody wanted opens. */
import { useRouter } from "@tanstack/react-router";
import { forgetSession } from "./other-tabs.ts";
import { ownPage } from "./own-page.ts";

export function useEnter(next?: string) {
  const router = useRouter();
  return async () => {
    forgetSession();
    const own = ownPage(next, location.origin);
    if (own !== undefined) {
      router.history.replace(own);
    } else {
      await router.navigate({ to: "/", replace: true });
    }
  };
}
