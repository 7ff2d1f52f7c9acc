/** Turns a redirect into HTTP. Owns its status codes and headers; decides nothing about links. */
import type { RedirectStatus } from "@hopline/core/link/link-record";
import type { AnswerTier } from "@hopline/edge-cache/read-through-ports";

/** Asks for `Server-Timing`, which names the tier that answered. */
const DEBUG_HEADER = "hopline-debug";

/** Header names in lower case, as they are sent over HTTP/2. */
export type HeaderFields = Record<string, string>;

/** What is true now may be another thing in a second: no one may store it. */
export const NOT_STORED = { "cache-control": "private, no-store", "x-robots-tag": "noindex" } as const;

export type RedirectAnswer = {
  readonly location: string;
  /** 303: after a form, so that the password is not sent on. */
  readonly status: RedirectStatus | 303;
  /** Whether a browser may keep a permanent redirect for a minute: not where it may be another one in a second. */
  readonly isKept: boolean;
};

/** @param headers the request's. */
export function respondRedirect(
  { location, status, isKept }: RedirectAnswer,
  headers: Headers,
  tier?: AnswerTier,
): Response {
  const isStored = isKept && (status === 301 || status === 308);
  const fields: HeaderFields = {
    location,
    // A permanent redirect without a limit stays in browsers for ever, and edits would never reach them.
    "cache-control": isStored ? "private, max-age=60" : NOT_STORED["cache-control"],
    "x-robots-tag": NOT_STORED["x-robots-tag"],
  };
  return new Response(null, { status, headers: withTiming(fields, headers, tier) });
}

/** To where a domain or an ended link sends those it has nothing for. */
export function respondFallback(url: string, headers: Headers, tier?: AnswerTier): Response {
  return respondRedirect({ location: url, status: 302, isKept: false }, headers, tier);
}

/** With one metric, named after the tier, without parameters (https://www.w3.org/TR/server-timing/), where it is asked for. */
export function withTiming(
  fields: HeaderFields,
  headers: Headers,
  tier: AnswerTier | undefined,
): HeaderFields {
  if (tier !== undefined && headers.has(DEBUG_HEADER)) {
    fields["server-timing"] = tier;
  }
  return fields;
}
