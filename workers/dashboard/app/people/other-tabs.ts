/**
 * The tabs of a browser have one session. When a person signs in or out in one of them, the others are loaded again: what they show
 * is not theirs any more.
 */
import { attempt } from "../attempt.ts";
import { clearCaches } from "../caches.ts";

/** Its value is new each time. The browser tells all tabs but the one that wrote it. */
const KEY = "hopline.session";

/** Nothing that was read holds, in any tab. */
export function forgetSession(): void {
  clearCaches();
  // Without storage the other tabs find out when they are loaded again.
  attempt(() => localStorage.setItem(KEY, crypto.randomUUID()));
}

export function reloadWithOtherTabs(): void {
  addEventListener("storage", ({ key }) => {
    if (key === KEY) {
      location.reload();
    }
  });
}
