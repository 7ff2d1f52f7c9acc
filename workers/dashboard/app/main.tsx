/** The entry: theme, router, cache, and what every page has around it. */
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/shell.css";
import { Toast } from "@base-ui/react/toast";
import { Tooltip } from "@base-ui/react/tooltip";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { applyTheme } from "./preferences.ts";
import { createQueryClient } from "./query-client.ts";
import { createAppRouter } from "./router.tsx";
import { Toasts, toasts } from "./ui/toasts.tsx";

applyTheme();

const queryClient = createQueryClient(() => {
  const { location } = router.state;
  // On the pages without a session, and while one is being read for the first time, the router decides.
  if (queryClient.getQueryData(["me"]) === undefined || location.pathname.startsWith("/sign-in")) {
    return;
  }
  queryClient.clear();
  void router.navigate({ to: "/sign-in", search: { next: location.href, ended: "1" } });
});
const router = createAppRouter(queryClient);

const place = document.getElementById("root");
if (place === null) {
  throw new Error("invariant: index.html has the element");
}
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <Toast.Provider toastManager={toasts}>
        <Tooltip.Provider delay={400}>
          <RouterProvider router={router} />
          <Toasts />
        </Tooltip.Provider>
      </Toast.Provider>
    </QueryClientProvider>
  </StrictMode>,
);
