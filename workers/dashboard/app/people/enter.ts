/** What follows signing in: nothing that was read before holds, and the page that somebody wanted opens. */
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";

/** An address of this app, or nothing: another one is not followed. */
export function ownPage(next: string | undefined): string | undefined {
  return next !== undefined && /^\/(?![/\\])/.test(next) ? next : undefined;
}

export function useEnter(next?: string) {
  const queryClient = useQueryClient();
  const router = useRouter();
  return async () => {
    queryClient.clear();
    const own = ownPage(next);
    if (own !== undefined) {
      router.history.replace(own);
    } else {
      await router.navigate({ to: "/links", replace: true });
    }
  };
}
