/**
 * Reads the raw facts of a click from a request. Every platform type is unknown until looked at: `cf` is absent behind
 * a service binding and in some tests, and any header may be missing or huge.
 */
import type { Click } from "@hopline/core/click";
import type { LinkRecord } from "@hopline/core/link-record";
import { truncateAddress } from "@hopline/core/truncate-address";

/** A segment of 100 clicks must stay under 64 KB; what a longer header says beyond this is of no use to anyone. */
const MAX_USER_AGENT_LENGTH = 512;
const MAX_REFERRER_LENGTH = 256;
const MAX_LANGUAGE_LENGTH = 64;
const MAX_PLACE_LENGTH = 64;

/** Makes the click of a redirect that was answered at `clickedAtMs` for `record`. Total. */
export function readClick(request: Request, record: LinkRecord, clickedAtMs: number): Click {
  const { headers } = request;
  const place: { readonly [field: string]: unknown } = { ...request.cf };
  return {
    clickedAtMs,
    linkId: record.linkId,
    linkVersion: record.version,
    source: isQrScan(request.url) ? "qr" : "link",
    method: request.method === "HEAD" ? "HEAD" : "GET",
    address: truncateAddress(headers.get("cf-connecting-ip") ?? ""),
    userAgent: cap(headers.get("user-agent"), MAX_USER_AGENT_LENGTH),
    referrer: cap(headers.get("referer"), MAX_REFERRER_LENGTH),
    acceptLanguage: cap(headers.get("accept-language"), MAX_LANGUAGE_LENGTH),
    purpose: cap(headers.get("sec-purpose") ?? headers.get("purpose"), MAX_PLACE_LENGTH),
    optedOut: headers.get("sec-gpc") === "1" || headers.get("dnt") === "1",
    country: toText(place["country"]),
    region: toText(place["regionCode"]),
    city: toText(place["city"]),
    continent: toText(place["continent"]),
    latitude: toText(place["latitude"]),
    longitude: toText(place["longitude"]),
    colo: toText(place["colo"]),
    asn: typeof place["asn"] === "number" ? place["asn"] : null,
    botScore: readBotScore(place["botManagement"]),
  };
}

/** `source=qr` as a whole parameter of the query. */
function isQrScan(url: string): boolean {
  const mark = url.indexOf("?");
  return mark !== -1 && `&${url.slice(mark + 1)}&`.includes("&source=qr&");
}

function cap(text: string | null, maxLength: number): string | null {
  return text === null || text.length <= maxLength ? text : text.slice(0, maxLength);
}

function toText(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value.slice(0, MAX_PLACE_LENGTH) : null;
}

/** Present only where the zone has Bot Management. */
function readBotScore(value: unknown): number | null {
  if (typeof value !== "object" || value === null || !("score" in value)) {
    return null;
  }
  return typeof value.score === "number" ? value.score : null;
}
