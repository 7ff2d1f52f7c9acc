/** Every page with its address. A page's code is loaded when it is visited, or when somebody is about to. */
import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { isSignedOut } from "./api.ts";
import { toAnalyticsSearch } from "./analytics/analytics-search.ts";
import { toLinksSearch } from "./links/links-search.ts";
import { meQuery, signInOptionsQuery, workspacesQuery } from "./queries.ts";
import { parseSearch, type RawSearch, stringifySearch, textIn } from "./search-params.ts";
import { AppShell } from "./shell/app-shell.tsx";
import { BrokenPage, LoadingPage, MissingPage } from "./shell/other-pages.tsx";

const root = createRootRouteWithContext<{ readonly queryClient: QueryClient }>()({
  notFoundComponent: MissingPage,
  errorComponent: BrokenPage,
});

const tokenSearch = (search: RawSearch) => ({ token: textIn(search, "token") ?? "" });

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: (search: RawSearch): { next?: string; ended?: "1"; failed?: string } => {
    const [next, failed] = [textIn(search, "next"), textIn(search, "failed")];
    return {
      ...(next === undefined ? {} : { next }),
      ...(failed === undefined ? {} : { failed }),
      ...(textIn(search, "ended") === undefined ? {} : { ended: "1" }),
    };
  },
  // Before it is shown: a button that comes later moves the others away from under the pointer.
  loader: ({ context: { queryClient } }) =>
    queryClient.ensureQueryData(signInOptionsQuery).then(
      () => undefined,
      () => undefined,
    ),
  component: lazyRouteComponent(() => import("./people/sign-in-page.tsx"), "SignInPage"),
});

const signInLink = createRoute({
  getParentRoute: () => root,
  path: "/sign-in/link",
  validateSearch: tokenSearch,
  component: lazyRouteComponent(() => import("./people/token-pages.tsx"), "OpenLinkPage"),
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: "/invitation",
  validateSearch: tokenSearch,
  component: lazyRouteComponent(() => import("./people/token-pages.tsx"), "InvitationPage"),
});

const setUp = createRoute({
  getParentRoute: () => root,
  path: "/set-up",
  validateSearch: tokenSearch,
  component: lazyRouteComponent(() => import("./people/token-pages.tsx"), "SetUpPage"),
});

const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  beforeLoad: async ({ context: { queryClient }, location }) => {
    try {
      await Promise.all([queryClient.ensureQueryData(meQuery), queryClient.ensureQueryData(workspacesQuery)]);
    } catch (error) {
      if (isSignedOut(error)) {
        throw redirect({ to: "/sign-in", search: { next: location.href } });
      }
      throw error;
    }
  },
  component: AppShell,
  pendingComponent: LoadingPage,
  errorComponent: BrokenPage,
});

const home = createRoute({
  getParentRoute: () => signedIn,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/links" });
  },
});

const links = createRoute({
  getParentRoute: () => signedIn,
  path: "/links",
  validateSearch: toLinksSearch,
  component: lazyRouteComponent(() => import("./links/links-page.tsx"), "LinksPage"),
});

const link = createRoute({
  getParentRoute: () => signedIn,
  path: "/links/$linkId",
  component: lazyRouteComponent(() => import("./links/link-page.tsx"), "LinkPage"),
});

const analytics = createRoute({
  getParentRoute: () => signedIn,
  path: "/analytics",
  validateSearch: toAnalyticsSearch,
  component: lazyRouteComponent(() => import("./analytics/analytics-page.tsx"), "AnalyticsPage"),
});

const domains = createRoute({
  getParentRoute: () => signedIn,
  path: "/domains",
  component: lazyRouteComponent(() => import("./domains/domains-page.tsx"), "DomainsPage"),
});

const importLinks = createRoute({
  getParentRoute: () => signedIn,
  path: "/import",
  component: lazyRouteComponent(() => import("./imports/import-page.tsx"), "ImportPage"),
});

const keys = createRoute({
  getParentRoute: () => signedIn,
  path: "/keys",
  component: lazyRouteComponent(() => import("./keys/keys-page.tsx"), "KeysPage"),
});

const workspace = createRoute({
  getParentRoute: () => signedIn,
  path: "/workspace",
  component: lazyRouteComponent(() => import("./workspace/workspace-page.tsx"), "WorkspacePage"),
});

// These pages read their part of the address themselves, or the first JavaScript would hold it.
const asWritten = (search: RawSearch) => search;

const webhooks = createRoute({
  getParentRoute: () => signedIn,
  path: "/webhooks",
  component: lazyRouteComponent(() => import("./webhooks/webhooks-page.tsx"), "WebhooksPage"),
});

const webhook = createRoute({
  getParentRoute: () => signedIn,
  path: "/webhooks/$webhookId",
  component: lazyRouteComponent(() => import("./webhooks/webhook-page.tsx"), "WebhookPage"),
});

const auditLog = createRoute({
  getParentRoute: () => signedIn,
  path: "/audit-log",
  validateSearch: asWritten,
  component: lazyRouteComponent(() => import("./audit/audit-page.tsx"), "AuditPage"),
});

const integrity = createRoute({
  getParentRoute: () => signedIn,
  path: "/integrity",
  validateSearch: asWritten,
  component: lazyRouteComponent(() => import("./integrity/integrity-page.tsx"), "IntegrityPage"),
});

const account = createRoute({
  getParentRoute: () => signedIn,
  path: "/account",
  component: lazyRouteComponent(() => import("./people/account-page.tsx"), "AccountPage"),
});

const newEmail = createRoute({
  getParentRoute: () => signedIn,
  path: "/account/email",
  validateSearch: tokenSearch,
  component: lazyRouteComponent(() => import("./people/token-pages.tsx"), "NewEmailPage"),
});

const routeTree = root.addChildren([
  signIn,
  signInLink,
  invitation,
  setUp,
  signedIn.addChildren([
    home,
    links,
    link,
    analytics,
    domains,
    importLinks,
    keys,
    webhooks,
    webhook,
    auditLog,
    workspace,
    integrity,
    account,
    newEmail,
  ]),
]);

export function createAppRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    parseSearch,
    stringifySearch,
    defaultPreload: "intent",
    defaultPendingMs: 300,
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
