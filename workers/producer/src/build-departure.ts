/** Where a redirect leads that is more than the link's own destination, and what its click says of that. */
import { type ClickDetail, clickDetail } from "@hopline/core/click/click-detail";
import { buildDestination } from "@hopline/core/link/destination";
import type { LinkRecord } from "@hopline/core/link/link-record";
import type { Redirect } from "@hopline/core/link/outcome";

/** Where a visitor is sent, and what a smart link adds to the click. */
export type Departure = { readonly location: string; readonly detail: ClickDetail | null };

/** @param query the visitor's raw one, without its `?`. */
export function buildDeparture(outcome: Redirect, record: LinkRecord, query: string): Departure {
  const location = buildDestination(outcome.url, {
    utmQuery: record.utmQuery ?? "",
    forward: record.forward ?? "none",
    visitorQuery: query,
  });
  return { location, detail: clickDetail({ outcome, location, ownUrl: record.url, query }) };
}
