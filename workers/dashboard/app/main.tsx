/** The entry: theme, router, cache, and what every page has around it. */
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/shell.css";
import "./styles/links.css";
import "./styles/link.css";
import "./styles/analytics.css";
import "./styles/webhooks.css";
import "./styles/audit.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode, useEffect } from "react";
import { createRoot } from "react-dom/client";
import { clearCaches, ownCache, whenSignedOut } from "./caches.ts";
import { reloadWithOtherTabs } from "./people/other-tabs.ts";
import { applyTheme } from "./preferences.ts";
import { createAppRouter } from "./router.tsx";
import { loadOverlays, useOverlays } from "./ui/load-overlays.ts";

/** What the first screen asks for has been asked by then. */
const AFTER_FIRST_SCREEN_MS = 300;

applyTheme();
reloadWithOtherTabs();

const router = createAppRouter();
whenSignedOut(() => {
  const { location } = router.state;
  // On the pages without a session, and while one is being read for the first time, the router decides.
  if (ownCache.getQueryData(["me"]) === undefined || location.pathname.startsWith("/sign-in")) {
    return;
  }
  clearCaches();
  void router.navigate({ to: "/sign-in", search: { next: location.href, ended: "1" }, ignoreBlocker: true });
});

const place = document.getElementById("root");
if (place === null) {
  throw new Error("invariant: index.html has the element");
}
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={ownCache}>
      <RouterProvider router={router} />
      <Overlays />
    </QueryClientProvider>
  </StrictMode>,
);

function Overlays() {
  const overlays = useOverlays();
  useEffect(() => {
    // Safari does not say when it is idle.
    const timer = setTimeout(() => {
      if ("requestIdleCallback" in globalThis) {
        requestIdleCallback(loadOverlays, { timeout: 2_000 });
      } else {
        loadOverlays();
      }
    }, AFTER_FIRST_SCREEN_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    overlays !== null && (
      <>
        <overlays.Toasts />
        <overlays.Hints />
      </>
    )
  );
}
