/**
 * The final URL of a redirect: the destination that was decided, the link's UTM parameters, the visitor's query. In that
 * order, so that UTM parameters count as the link's own when a forwarded one has the same name.
 */
import { splitQuery } from "./raw-query.ts";
import { mergeQuery } from "./merge-query.ts";
import { forwardQuery, type ForwardMode } from "./query-forwarding.ts";

/** UTM parameters of a link, in clear text; `source` becomes `utm_source`. */
export const UTM_NAMES = ["source", "medium", "campaign", "term", "content", "id"] as const;
export type Utm = { readonly [Name in (typeof UTM_NAMES)[number]]?: string | undefined };

export type DestinationOptions = {
  /** From `toUtmQuery`; "" for none. Replaces parameters of the same name in the destination. */
  readonly utmQuery: string;
  readonly forward: ForwardMode;
  /** The visitor's raw query, without its `?`. */
  readonly visitorQuery: string;
};

/** Builds the URL for the Location header. `url` is kept byte for byte where nothing is added. */
export function buildDestination(url: string, options: DestinationOptions): string {
  const tagged = options.utmQuery === "" ? url : mergeQuery(url, splitQuery(options.utmQuery), "added");
  return forwardQuery(tagged, options.visitorQuery, options.forward);
}

/** Encodes UTM parameters once, at write time: the form in which a record carries them. Empty ones are left out. */
export function toUtmQuery(utm: Utm): string {
  const parameters: string[] = [];
  for (const name of UTM_NAMES) {
    const value = utm[name];
    if (value !== undefined && value !== "") {
      parameters.push(`utm_${name}=${encodeURIComponent(value.toWellFormed())}`);
    }
  }
  return parameters.join("&");
}
