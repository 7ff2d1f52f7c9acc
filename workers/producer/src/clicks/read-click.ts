/**
 * Reads the raw facts of a click from a request, once, while the request is there: another request of the isolate may
 * not touch it. Plain strings only, and nothing is parsed here but the address, which is cut to its network before
 * anything else sees it.
 *
 * Every platform type is unknown until checked: `cf` is absent behind a service binding, and any header may be
 * missing or huge.
 */
import type { Click } from "@hopline/core/click/click";
import type { LinkRecord } from "@hopline/core/link/link-record";
import type { ClickedRequest, ClickFacts } from "../ports.ts";
import { readNetwork, readPurpose } from "../request-context.ts";

/** In UTF-16 units. What a longer header says beyond this is of no use to anyone, and 100 clicks share 60 KB. */
const MAX_USER_AGENT_LENGTH = 512;
const MAX_REFERRER_LENGTH = 256;
const MAX_SHORT_TEXT_LENGTH = 64;

type Visited = Omit<ClickedRequest, "visit">;

type Place = { readonly [field: string]: unknown };

/**
 * Makes the click of a redirect that was answered at `clickedAtMs` for `record`. Total.
 */
export function readClick(request: Visited, { record, clickedAtMs, detail }: ClickFacts): Click {
  const click = readPlainClick(request, record, clickedAtMs);
  return detail === null ? click : { ...click, ...detail };
}

function readPlainClick(
  { request, method, headers, query }: Visited,
  record: LinkRecord,
  clickedAtMs: number,
): Click {
  const place: Place = request.cf ?? {};
  const optedOut = hasOptedOut(headers);
  return {
    clickedAtMs,
    linkId: record.linkId,
    linkVersion: record.version,
    alias: record.alias,
    source: isQrScan(query) ? "qr" : "link",
    method: method === "HEAD" ? "HEAD" : "GET",
    address: readNetwork(headers),
    userAgent: cap(headers.get("user-agent"), MAX_USER_AGENT_LENGTH),
    referrer: cap(headers.get("referer"), MAX_REFERRER_LENGTH),
    acceptLanguage: cap(headers.get("accept-language"), MAX_SHORT_TEXT_LENGTH),
    purpose: cap(readPurpose(headers), MAX_SHORT_TEXT_LENGTH),
    optedOut,
    country: toText(place["country"]),
    region: toText(place["regionCode"]),
    // Who asked not to be followed is not placed more finely than a region, from here on.
    city: optedOut ? null : toText(place["city"]),
    continent: toText(place["continent"]),
    colo: toText(place["colo"]),
    botScore: readBotScore(place["botManagement"]),
  };
}

/** The visitor asks not to be tracked. */
export function hasOptedOut(headers: Headers): boolean {
  return headers.get("sec-gpc") === "1" || headers.get("dnt") === "1";
}

/** `source=qr` as a whole parameter of the query. */
function isQrScan(query: string): boolean {
  return query !== "" && `&${query}&`.includes("&source=qr&");
}

/** Well-formed, because a cut may leave half a character, and no JSON reader after us owes it any mercy. */
function cap(text: string | null, maxLength: number): string | null {
  return text === null || text.length <= maxLength ? text : text.slice(0, maxLength).toWellFormed();
}

export function toText(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? cap(value, MAX_SHORT_TEXT_LENGTH) : null;
}

/** Present only where the zone has Bot Management. */
function readBotScore(value: unknown): number | null {
  if (typeof value !== "object" || value === null || !("score" in value)) {
    return null;
  }
  return typeof value.score === "number" ? value.score : null;
}
