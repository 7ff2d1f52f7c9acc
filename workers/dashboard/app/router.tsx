/** Every page with its address. A page's code is loaded when it is visited, or is about to be. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  notFound,
  redirect,
  type RouteComponent,
} from "@tanstack/react-router";
import { isSignedOut } from "./api.ts";
import { toAnalyticsSearch } from "./analytics/analytics-search.ts";
import { cacheOf, ownCache } from "./caches.ts";
import { linkListQuery } from "./links/link-cache.ts";
import { toLinksSearch } from "./links/links-search.ts";
import { meQuery, signInOptionsQuery, workspacesQuery } from "./queries.ts";
import { compact, parseSearch, type RawSearch, stringifySearch, textIn } from "./search-params.ts";
import { AppShell } from "./shell/app-shell.tsx";
import { BrokenPage, LoadingPage, MissingPage } from "./shell/other-pages.tsx";
import { startIn } from "./shell/start-workspace.ts";
import { NoWorkspace, WorkspaceLayout } from "./shell/workspace-layout.tsx";
import { headOfPage } from "./ui/modal-focus.ts";
import { lazyPart } from "./ui/lazy-part.ts";

const root = createRootRoute({ notFoundComponent: MissingPage, errorComponent: BrokenPage });

type Load<Name extends string> = () => Promise<{ readonly [name in Name]: RouteComponent }>;

const lazyPage = <Name extends string>(load: Load<Name>, name: Name) =>
  lazyPart(async (): Promise<{ readonly default: RouteComponent }> => ({
    default: (await load())[name],
  }));

const tokenSearch = (search: RawSearch) => ({ token: textIn(search, "token") ?? "" });

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: (search: RawSearch) =>
    compact({
      next: textIn(search, "next"),
      ended: textIn(search, "ended"),
      failed: textIn(search, "failed"),
    }),
  // Before it is shown: a button that comes later moves the others away from under the pointer.
  loader: () => ownCache.prefetchQuery(signInOptionsQuery),
  component: lazyPage(() => import("./people/sign-in-page.tsx"), "SignInPage"),
});

const tokenPage = <Path extends string>(path: Path, component: RouteComponent) =>
  createRoute({ getParentRoute: () => root, path, validateSearch: tokenSearch, component });
const tokenPages = () => import("./people/token-pages.tsx");

const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  beforeLoad: async ({ location }) => {
    try {
      await Promise.all([ownCache.ensureQueryData(meQuery), ownCache.ensureQueryData(workspacesQuery)]);
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
  beforeLoad: async () => {
    const start = startIn(await ownCache.ensureQueryData(workspacesQuery));
    if (start !== null) {
      throw redirect({ to: "/w/$workspaceId/links", params: { workspaceId: start.id } });
    }
  },
  component: NoWorkspace,
});

const inWorkspace = createRoute({
  getParentRoute: () => signedIn,
  path: "/w/$workspaceId",
  beforeLoad: async ({ params: { workspaceId } }) => {
    const known = await ownCache.ensureQueryData(workspacesQuery);
    if (!known.some(({ id }) => id === workspaceId)) {
      // They may have come into it since the list was read.
      await ownCache.fetchQuery({ ...workspacesQuery, staleTime: 0 });
    }
  },
  component: WorkspaceLayout,
});

const pageOf = <Path extends string, Name extends string>(path: Path, load: Load<Name>, name: Name) =>
  createRoute({ getParentRoute: () => inWorkspace, path, component: lazyPage(load, name) });

/** A page whose address says what it shows. */
const searchPageOf =
  <Search,>(validateSearch: (search: RawSearch) => Search) =>
  <Path extends string, Name extends string>(path: Path, load: Load<Name>, name: Name) =>
    createRoute({ getParentRoute: () => inWorkspace, path, validateSearch, component: lazyPage(load, name) });

const workspaceHome = createRoute({
  getParentRoute: () => inWorkspace,
  path: "/",
  beforeLoad: ({ params }) => {
    throw redirect({ to: "/w/$workspaceId/links", params });
  },
});

/** Pages of a workspace whose addresses did not name it. */
const FORMERLY = /^\/(?:links|analytics|events|domains|import|keys|webhooks|audit-log|workspace)(?:\/|$)/;

const former = createRoute({
  getParentRoute: () => signedIn,
  path: "$",
  beforeLoad: async ({ location: { pathname, href } }) => {
    const start = startIn(await ownCache.ensureQueryData(workspacesQuery));
    if (!FORMERLY.test(pathname) || start === null) {
      throw notFound();
    }
    throw redirect({ href: `/w/${start.id}${href}`, replace: true });
  },
});

const links = searchPageOf(toLinksSearch)("/links", () => import("./links/links-page.tsx"), "LinksPage");

/** `first`: what a workspace without a domain for its links needs. */
const toDomainsSearch = (search: RawSearch) => compact({ first: textIn(search, "first") });
const toTrashSearch = (search: RawSearch) => compact({ q: textIn(search, "q") });
// The other pages read their part of the address themselves, or the first JavaScript would hold it.
const asWritten = (search: RawSearch) => search;

/** A page of the person, or of the deployment. */
const ownPage = <Path extends string, Name extends string>(path: Path, load: Load<Name>, name: Name) =>
  createRoute({
    getParentRoute: () => signedIn,
    path,
    validateSearch: asWritten,
    component: lazyPage(load, name),
  });

const newEmail = createRoute({
  getParentRoute: () => signedIn,
  path: "/account/email",
  validateSearch: tokenSearch,
  component: lazyPage(tokenPages, "NewEmailPage"),
});

const routeTree = root.addChildren([
  signIn,
  tokenPage("/sign-in/link", lazyPage(tokenPages, "OpenLinkPage")),
  tokenPage("/invitation", lazyPage(tokenPages, "InvitationPage")),
  tokenPage("/set-up", lazyPage(tokenPages, "SetUpPage")),
  signedIn.addChildren([
    home,
    inWorkspace.addChildren([
      workspaceHome,
      links,
      pageOf("/links/$linkId", () => import("./links/link-page.tsx"), "LinkPage"),
      searchPageOf(toTrashSearch)("/trash", () => import("./links/trash-page.tsx"), "TrashPage"),
      searchPageOf(toAnalyticsSearch)(
        "/analytics",
        () => import("./analytics/analytics-page.tsx"),
        "AnalyticsPage",
      ),
      searchPageOf(toAnalyticsSearch)("/events", () => import("./analytics/events-page.tsx"), "EventsPage"),
      searchPageOf(toDomainsSearch)("/domains", () => import("./domains/domains-page.tsx"), "DomainsPage"),
      pageOf("/import", () => import("./imports/import-page.tsx"), "ImportPage"),
      pageOf("/keys", () => import("./keys/keys-page.tsx"), "KeysPage"),
      pageOf("/webhooks", () => import("./webhooks/webhooks-page.tsx"), "WebhooksPage"),
      pageOf("/webhooks/$webhookId", () => import("./webhooks/webhook-page.tsx"), "WebhookPage"),
      searchPageOf(asWritten)("/audit-log", () => import("./audit/audit-page.tsx"), "AuditPage"),
      pageOf("/workspace", () => import("./workspace/workspace-page.tsx"), "WorkspacePage"),
    ]),
    ownPage("/integrity", () => import("./integrity/integrity-page.tsx"), "IntegrityPage"),
    ownPage("/operators", () => import("./operators/operators-page.tsx"), "OperatorsPage"),
    ownPage("/account", () => import("./people/account-page.tsx"), "AccountPage"),
    newEmail,
    former,
  ]),
]);

export function createAppRouter() {
  const router = createRouter({
    routeTree,
    parseSearch,
    stringifySearch,
    defaultPreload: "intent",
    defaultPendingMs: 300,
    scrollRestoration: true,
  });
  // What a page needs is asked for beside the session, not after it: its code, and the list of links.
  router.subscribe("onBeforeLoad", ({ toLocation }) => {
    for (const match of router.matchRoutes(toLocation.pathname, toLocation.search)) {
      void router.loadRouteChunk(router.routesById[match.routeId]);
      if (match.routeId === links.id) {
        const { params, search } = match;
        void cacheOf(params.workspaceId).prefetchInfiniteQuery(linkListQuery(search));
      }
    }
  });
  router.subscribe("onRendered", ({ fromLocation }) => {
    if (fromLocation !== undefined && document.activeElement === document.body) {
      headOfPage()?.focus({ preventScroll: true });
    }
  });
  return router;
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
