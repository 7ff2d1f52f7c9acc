/** What follows signing in: nothing that was read before holds, and the page that somebody wanted opens. */
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { forgetSession } from "./other-tabs.ts";
import { ownPage } from "./own-page.ts";

export function useEnter(next?: string) {
  const queryClient = useQueryClient();
  const router = useRouter();
  return async () => {
    forgetSession(queryClient);
    const own = ownPage(next, location.origin);
    if (own !== undefined) {
      router.history.replace(own);
    } else {
      await router.navigate({ to: "/links", replace: true });
    }
  };
}
