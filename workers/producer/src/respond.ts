/** Turns a redirect into HTTP. Owns its status codes and headers; decides nothing about links. */
import type { RedirectStatus } from "@hopline/core/link/link-record";
import type { AnswerTier } from "@hopline/edge-cache/read-through-events";

/** Asks for `Server-Timing`, which names the tier that answered. */
const DEBUG_HEADER = "hopline-debug";

/** Header names in lower case, as they are sent over HTTP/2. */
export type HeaderFields = Record<string, string>;

export type Departure = {
  readonly location: string;
  /** 303: after a form, so that the password is not sent on. */
  readonly status: RedirectStatus | 303;
  /** Whether a browser may keep a permanent redirect for a minute: not where it may be another one in a second. */
  readonly isKept: boolean;
};

/**
 * What the redirects of one kind have in common, made once: the location is set, and each answer is a copy. Of another
 * Response workerd takes the fields as they are; of an object it looks up each name, and checks each header.
 */
function prepare(cacheControl: string): (location: string, status: number) => Response {
  const common = { "cache-control": cacheControl, "x-robots-tag": "noindex" };
  const templates = new Map(
    [301, 302, 303, 307, 308].map((status) => {
      const response = new Response(null, { status, headers: common });
      return [status, { response, headers: response.headers }];
    }),
  );
  return (location, status) => {
    const template = templates.get(status);
    template?.headers.set("location", location);
    return new Response(null, template?.response);
  };
}

const redirectUnkept = prepare("private, no-store");
/** A permanent redirect without a limit stays in browsers for ever, and edits would never reach them. */
const redirectKept = prepare("private, max-age=60");

/** @param headers the request's. */
export function respondRedirect(
  { location, status, isKept }: Departure,
  headers: Headers,
  tier?: AnswerTier,
): Response {
  const response =
    isKept && (status === 301 || status === 308)
      ? redirectKept(location, status)
      : redirectUnkept(location, status);
  if (tier !== undefined && isTimed(headers)) {
    response.headers.set("server-timing", tier);
  }
  return response;
}

/** To where a domain or an ended link sends those it has nothing for. */
export function respondFallback(url: string, headers: Headers, tier?: AnswerTier): Response {
  return respondRedirect({ location: url, status: 302, isKept: false }, headers, tier);
}

/** With one metric, named after the tier, without parameters (https://www.w3.org/TR/server-timing/), where it is asked for. */
export function timed(fields: HeaderFields, request: Request, tier: AnswerTier | undefined): HeaderFields {
  if (tier !== undefined && isTimed(request.headers)) {
    fields["server-timing"] = tier;
  }
  return fields;
}

function isTimed(headers: Headers): boolean {
  return headers.has(DEBUG_HEADER);
}
