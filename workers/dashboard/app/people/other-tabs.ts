/**
 * The tabs of a browser have one session. When somebody signs in or out in one of them, or goes to another workspace, the others are
 * loaded again: what they show is not theirs any more, and what they made would be in the new workspace.
 */
import type { QueryClient } from "@tanstack/react-query";

/** Its value is new each time. The browser tells all tabs but the one that wrote it. */
const KEY = "hopline.session";

/** Nothing that was read holds, in any tab. */
export function forgetSession(queryClient: QueryClient): void {
  queryClient.clear();
  try {
    localStorage.setItem(KEY, crypto.randomUUID());
  } catch {
    // Without storage the other tabs find out when they are loaded again.
  }
}

export function reloadWithOtherTabs(): void {
  addEventListener("storage", ({ key }) => {
    if (key === KEY) {
      location.reload();
    }
  });
}
