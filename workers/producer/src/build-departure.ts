/** Where a redirect leads that is more than the link's own destination, and what its click says of that. */
import { clickDetail } from "@hopline/core/click-detail";
import { buildDestination } from "@hopline/core/destination/destination";
import type { LinkRecord } from "@hopline/core/link-record";
import type { Redirect } from "@hopline/core/plain-outcome";
import type { Departure } from "./answer-link.ts";

/** @param query the visitor's raw one, without its `?`. */
export function buildDeparture(outcome: Redirect, record: LinkRecord, query: string): Departure {
  const location = buildDestination(outcome.url, {
    utmQuery: record.utmQuery ?? "",
    forward: record.forward ?? "none",
    visitorQuery: query,
  });
  return { location, detail: clickDetail({ outcome, location, ownUrl: record.url, query }) };
}
