/** What is loaded when it is wanted: pages, dialogs, and what has a library of its own. */
import { lazyRouteComponent } from "@tanstack/react-router";

/** A browser says that it is online a moment before it is. */
const TRIES = 5;
const PAUSE_MS = 500;

/** As the router has it; where there is no connection, it waits for one, instead of loading the whole page again. */
export const lazyPart: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(async () => {
    for (let left = 0; ;) {
      try {
        return await load();
      } catch (error) {
        if (!navigator.onLine) {
          await new Promise((resolve) => addEventListener("online", resolve, { once: true }));
          left = TRIES;
        } else if (left > 0) {
          left -= 1;
          await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        } else {
          throw error;
        }
      }
    }
  }, name);
