/** What follows signing in: nothing that was read before holds, and the page that somebody wanted opens. */
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";

/** `next` is an address of this app; another one is not followed. */
export function useEnter(next?: string) {
  const queryClient = useQueryClient();
  const router = useRouter();
  return async () => {
    queryClient.clear();
    const isOwn = next !== undefined && /^\/(?![/\\])/.test(next);
    if (isOwn) {
      router.history.replace(next);
    } else {
      await router.navigate({ to: "/links", replace: true });
    }
  };
}
