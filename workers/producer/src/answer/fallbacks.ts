/**
 * What a domain answers where no link does: its root, an unknown slug, a link that has ended. Only here, and for slugs with
 * capitals, are a domain's settings looked up.
 *
 * Where they can't be had, a page says what is known of the link all the same: that it does not exist or has ended is true
 * whatever the domain adds to it. Of the root nothing else is known, so that is an outage.
 */
import type { MissKind } from "@hopline/core/click/missed-visits";
import type { DomainRecord } from "@hopline/core/link/domain-record";
import { foldSlug } from "@hopline/core/link/link-address";
import type { GoneReason } from "@hopline/core/link/outcome";
import type { AnswerTier } from "@hopline/edge-cache/read-through-ports";
import { findDomain, settingsIn } from "../find/find-link.ts";
import { getDomain } from "../find/apply-domain.ts";
import type { RequestContext } from "../request-context.ts";
import type { PageCode } from "./page.ts";
import { respondMethodNotAllowed, respondPage, respondRefused, respondUnavailable } from "./respond-page.ts";
import { type HeaderFields, respondFallback } from "./respond-redirect.ts";

export async function answerOddPath(context: RequestContext): Promise<Response> {
  const { request, path } = context;
  if (request.method === "POST") {
    return respondMethodNotAllowed(request);
  }
  return path === "/" ? answerRoot(context) : (respondWellKnown(path) ?? answerUnknown(context));
}

async function answerRoot(context: RequestContext): Promise<Response> {
  const { request, headers } = context;
  const settings = await findDomain(context);
  switch (settings.kind) {
    case "settings": {
      const { domain } = settings;
      if (domain.isSuspended) {
        return respondPage(request, "domain_suspended");
      }
      countMiss(context, domain, "root");
      return domain.rootUrl === undefined
        ? respondPage(request, "no_slug", { site: domain })
        : respondFallback(domain.rootUrl, headers);
    }
    case "none":
      return respondPage(request, "no_slug");
    case "refused":
      return respondRefused(request, settings.reason);
    case "unavailable":
      return respondUnavailable(request);
  }
}

export async function answerUnknown(context: RequestContext, tier?: AnswerTier): Promise<Response> {
  const site = await findSite(context);
  if (site?.isSuspended) {
    // Without its owner's name, looks and ways on.
    return respondPage(context.request, "domain_suspended", { tier });
  }
  countMiss(context, site, "unknown");
  return site?.notFoundUrl === undefined
    ? respondPage(context.request, "link_unknown", { site, tier })
    : respondFallback(site.notFoundUrl, context.headers, tier);
}

const GONE_PAGES: Readonly<Record<GoneReason, PageCode>> = {
  disabled: "link_gone",
  expired: "link_expired",
  "used-up": "link_used_up",
};

/** @param ended `endedUrl`: the link's own; then no domain is waited for. */
export async function answerEnded(
  context: RequestContext,
  why: GoneReason,
  ended: { readonly tier: AnswerTier; readonly endedUrl: string | undefined },
): Promise<Response> {
  const { tier, endedUrl } = ended;
  const site = endedUrl === undefined ? await findSite(context) : settingsIn(getDomain(context));
  countMiss(context, site, "ended");
  const url = endedUrl ?? site?.endedUrl;
  return url === undefined
    ? respondPage(context.request, GONE_PAGES[why], { site, tier })
    : respondFallback(url, context.headers, tier);
}

/** Counts a visit that brings no click. Programs that only look are no visitors. */
function countMiss(context: RequestContext, site: DomainRecord | null, kind: MissKind): void {
  const { method, host, key, deps } = context;
  if (site === null || method !== "GET") {
    return;
  }
  const asked = key === null ? null : key.slice(host.length + 1);
  const slug = asked !== null && site.ignoresCase ? foldSlug(asked) : asked;
  deps.answers.countMiss({ domainId: site.domainId, kind, slug }, context, deps.nowMs());
}

/** A page of ours with the domain's name on it. */
export async function answerPage(
  context: RequestContext,
  code: PageCode,
  options: { readonly tier?: AnswerTier; readonly fields?: HeaderFields } = {},
): Promise<Response> {
  return respondPage(context.request, code, { ...options, site: await findSite(context) });
}

async function findSite(context: RequestContext): Promise<DomainRecord | null> {
  const settings = await findDomain(context);
  return settings.kind === "settings" ? settings.domain : null;
}

const FOR_A_DAY = { "cache-control": "public, max-age=86400" };

/** Crawlers may follow links; the redirects say `noindex` themselves. */
const ROBOTS_TXT = "User-agent: *\nDisallow: /api/\n";

/** For the paths that are no links but that every browser and crawler asks for; `null` for any other. */
function respondWellKnown(path: string): Response | null {
  switch (path) {
    case "/robots.txt":
      return new Response(ROBOTS_TXT, {
        headers: {
          "content-type": "text/plain; charset=utf-8",
          "cache-control": "public, max-age=86400",
          "x-content-type-options": "nosniff",
        },
      });
    case "/favicon.ico":
      // No icon, and no question about it again for a day.
      return new Response(null, { status: 204, headers: FOR_A_DAY });
    default:
      return null;
  }
}
