/** What follows a change of workspace. */
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { forgetSession } from "../people/other-tabs.ts";

/** Another workspace has other links, other clicks and another role: nothing that was read holds. */
export function useEnterWorkspace() {
  const queryClient = useQueryClient();
  const router = useRouter();
  return async () => {
    forgetSession(queryClient);
    await router.navigate({ to: "/links" });
    await router.invalidate();
  };
}
