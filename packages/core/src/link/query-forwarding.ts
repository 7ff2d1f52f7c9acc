/**
 * Which of the visitor's query parameters travel on to the destination. `source=qr` marks a scanned code for our own count and
 * never does.
 */
import { splitQuery, valueOf, type RawParameter } from "./raw-query.ts";
import { mergeQuery } from "./merge-query.ts";

/** `none`: the visitor's query stops here. Otherwise: whose value stays when link and visitor name the same parameter. */
export const FORWARD_MODES = ["none", "visitor-wins", "link-wins"] as const;
export type ForwardMode = (typeof FORWARD_MODES)[number];

/** `url` with the visitor's raw query (without its `?`) forwarded. With nothing to forward, `url` byte for byte. */
export function forwardQuery(url: string, visitorQuery: string, mode: ForwardMode): string {
  if (mode === "none" || visitorQuery === "") {
    return url;
  }
  const forwarded = splitQuery(visitorQuery).filter(isForwarded).map(makeSafe);
  return mergeQuery(url, forwarded, mode === "visitor-wins" ? "added" : "url");
}

function isForwarded({ raw, name }: RawParameter): boolean {
  return name !== "source" || valueOf(raw) !== "qr";
}

/** What no URL may hold as it is. A request's own query never does; one typed into the API's resolve may. */
const UNSAFE = /[^!-~]+|["#<>]+/g;

function makeSafe(parameter: RawParameter): RawParameter {
  const raw = parameter.raw.replace(UNSAFE, (text) => encodeURIComponent(text.toWellFormed()));
  return raw === parameter.raw ? parameter : { raw, name: parameter.name };
}
