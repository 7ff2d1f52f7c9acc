/** What a link would answer to a hypothetical visitor, from the code that answers real ones. Pure. */
import { isForwardingSlug } from "@hopline/core/link/link-address";
import { buildDestination } from "@hopline/core/link/destination";
import type { UnversionedLink } from "@hopline/core/link/link-record";
import { decideOutcome } from "@hopline/core/link/outcome";
import type { Outcome } from "@hopline/core/link/outcome";
import { fillPlaceholders } from "@hopline/core/link/placeholders";
import { PREVIEW_MARK } from "@hopline/core/click/preview-mark";
import { BROWSER_NAMES, DEVICE_CLASSES, OS_NAMES } from "@hopline/core/rules/device-names";
import { readEdgeDevice } from "@hopline/core/rules/evaluate/edge-device";
import { explain } from "@hopline/core/rules/evaluate/explain";
import { createLocalTime } from "@hopline/core/rules/evaluate/local-time";
import { createVisitor, type Visitor } from "@hopline/core/rules/evaluate/visitor";
import type { Resolution, ResolveInput } from "./resolve-shape.ts";
import type { WrittenSmart } from "./smart-shape.ts";

const localTime = createLocalTime();

export type Resolving = {
  readonly record: UnversionedLink;
  /** With the rules that are switched off, which the record does not have. */
  readonly written: WrittenSmart;
  readonly slug: string;
  /** `null`: the visitor comes through the slug. */
  readonly alias: string | null;
};

export function resolveLink(
  { record, written, slug, alias }: Resolving,
  input: ResolveInput,
  nowMs: number,
): Resolution {
  const visitor = toVisitor(input, nowMs);
  const outcome = decideOutcome(record, {
    nowMs,
    fill: (url) =>
      fillPlaceholders(url, { rest: isForwardingSlug(alias ?? slug) ? input.path : "", visitor }),
    visitor: () => visitor,
    isUnlocked: () => input.hasPassword,
    isSocialCrawler: () => PREVIEW_MARK.test(input.userAgent ?? ""),
  });
  const isDecidedByRules = outcome.kind === "redirect" || outcome.kind === "blocked";
  return {
    outcome: outcome.kind,
    ...toAnswer(outcome, record, input),
    alias,
    why: outcome.kind === "gone" ? outcome.why : null,
    ruleId: isDecidedByRules ? outcome.ruleId : null,
    variantId: outcome.kind === "redirect" ? outcome.variantId : null,
    missed: isDecidedByRules
      ? explain(record, visitor).missed.map(({ ruleId, unmet }) => ({
          ruleId,
          unmet: unmet.map(({ field, expected, actual }) => ({ field, expected: [...expected], actual })),
        }))
      : [],
    off: (written.rules ?? []).filter(({ enabled }) => enabled === false).map(({ id }) => id),
  };
}

/** Whatever the link says: its domain leads nowhere. */
export const SUSPENDED: Resolution = {
  outcome: "suspended",
  status: 403,
  location: null,
  alias: null,
  why: null,
  ruleId: null,
  variantId: null,
  missed: [],
  off: [],
};

/** As the producer answers it, without the domain's fallbacks, which are not the link's. */
function toAnswer(
  outcome: Outcome,
  { forward, utmQuery }: UnversionedLink,
  { query }: ResolveInput,
): { readonly status: number; readonly location: string | null } {
  switch (outcome.kind) {
    case "redirect": {
      const options = {
        utmQuery: utmQuery ?? "",
        forward: forward ?? ("none" as const),
        visitorQuery: query,
      };
      return { status: outcome.status, location: buildDestination(outcome.url, options) };
    }
    case "gone":
      return { status: outcome.endedUrl === null ? 410 : 302, location: outcome.endedUrl };
    case "blocked":
      return { status: 403, location: null };
    case "password-required":
      return { status: 401, location: null };
    case "preview":
      return { status: 200, location: null };
    case "not-started":
    case "unknown":
      return { status: 404, location: null };
  }
}

function toVisitor(input: ResolveInput, nowMs: number): Visitor {
  const { country, continent, region, city, language, referrer, userAgent } = input;
  const [regionCountry, regionCode = null] = region?.toUpperCase().split("-", 2) ?? [];
  const headers = { "accept-language": language, referer: referrer, "user-agent": userAgent };
  return createVisitor({
    nowMs,
    localTime,
    query: input.query,
    place: () => ({
      country: (country ?? regionCountry)?.toUpperCase() ?? null,
      continent: continent?.toUpperCase() ?? null,
      regionCode,
      city,
    }),
    header: (name) => headers[name],
    stickyKey: () => input.visitorKey,
    readDevice(text) {
      const read = readEdgeDevice(text);
      return {
        device: nameOf(DEVICE_CLASSES, input.device) ?? read.device,
        os: nameOf(OS_NAMES, input.os) ?? read.os,
        browser: nameOf(BROWSER_NAMES, input.browser) ?? read.browser,
        // A visitor without a user agent is a person, unless the request says otherwise.
        isBot: input.isBot ?? (text !== "" && read.isBot),
      };
    },
  });
}

function nameOf<Name extends string>(names: readonly Name[], text: string | null): Name | null {
  return text === null ? null : (names.find((name) => name.toLowerCase() === text.toLowerCase()) ?? null);
}
