/**
 * Every operation of the API: what these files export under a name that ends in `Operation`. A route in any other file does not
 * exist. In the order in which the document shows them.
 */
import type { RouteConfig } from "@hono/zod-openapi";
import * as breakdowns from "./analytics/breakdowns.ts";
import * as counts from "./analytics/counts.ts";
import * as events from "./analytics/events.ts";
import * as overview from "./analytics/overview.ts";
import type { ApiDeps } from "./api-deps.ts";
import * as audit from "./audit/audit-routes.ts";
import * as domains from "./domains/domain-routes.ts";
import * as missedVisits from "./domains/missed-visits.ts";
import * as folders from "./folders/folder-routes.ts";
import type { Operation } from "./http/operation.ts";
import * as exportClicks from "./imports/export-clicks.ts";
import * as exportLinks from "./imports/export-route.ts";
import * as importLinks from "./imports/import-route.ts";
import * as integrity from "./integrity/integrity-route.ts";
import * as keys from "./keys/key-routes.ts";
import * as bulkChange from "./links/routes/bulk-change.ts";
import * as bulkLinks from "./links/routes/bulk-links.ts";
import * as cacheStatus from "./links/routes/cache-status.ts";
import * as copyRules from "./links/routes/copy-rules.ts";
import * as aliases from "./links/routes/link-aliases.ts";
import * as history from "./links/routes/link-history.ts";
import * as links from "./links/routes/link-routes.ts";
import * as linkLists from "./links/routes/list-links.ts";
import * as resolve from "./links/routes/resolve-link.ts";
import * as slugs from "./links/routes/slug-available.ts";
import * as trash from "./links/routes/trash.ts";
import * as live from "./live/live-route.ts";
import * as health from "./metrics/health.ts";
import * as metrics from "./metrics/metrics-route.ts";
import * as operators from "./operators/operator-routes.ts";
import * as emailChange from "./people/routes/email-change.ts";
import * as invitations from "./people/routes/invitations.ts";
import * as me from "./people/routes/me.ts";
import * as members from "./people/routes/members.ts";
import * as passkeys from "./people/routes/passkeys.ts";
import * as providers from "./people/routes/providers.ts";
import * as sessions from "./people/routes/sessions.ts";
import * as setUp from "./people/routes/set-up.ts";
import * as signIn from "./people/routes/sign-in.ts";
import * as methods from "./people/routes/sign-in-methods.ts";
import * as logos from "./qr/logo-routes.ts";
import * as qrCodes from "./qr/qr-routes.ts";
import * as tags from "./tags/tag-routes.ts";
import * as usage from "./usage/usage-routes.ts";
import * as vocabularies from "./vocabularies/vocabulary-routes.ts";
import * as deliveries from "./webhooks/log-routes.ts";
import * as webhooks from "./webhooks/webhook-routes.ts";
import * as workspaces from "./workspaces/workspace-routes.ts";

/* oxfmt-ignore */
const ROOMS: readonly object[] = [
  links, bulkLinks, bulkChange, importLinks, exportLinks, linkLists, trash, slugs, aliases, history, copyRules, cacheStatus, resolve,
  qrCodes, vocabularies, tags, folders, domains, missedVisits, logos, keys, webhooks, deliveries, usage, audit, workspaces, members, invitations,
  me, emailChange, passkeys, methods, sessions, signIn, providers, setUp,
  counts, breakdowns, events, exportClicks, overview, live, integrity, operators, health, metrics,
];

type Make = (deps: ApiDeps) => Operation<RouteConfig>;

export function listOperations(deps: ApiDeps): readonly Operation<RouteConfig>[] {
  const makers = ROOMS.flatMap((room) => Object.entries(room).filter(isMaker));
  // `links/count` before `links/{linkId}`: the first route that fits a path gets the request.
  return makers
    .map(([, make]) => make(deps))
    .toSorted((one, other) => countParameters(one) - countParameters(other));
}

function isMaker(entry: readonly [name: string, exported: unknown]): entry is [string, Make] {
  return entry[0].endsWith("Operation") && typeof entry[1] === "function";
}

function countParameters({ route }: Operation<RouteConfig>): number {
  return route.path.split("{").length;
}
