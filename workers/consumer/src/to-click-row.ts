/** Turns a click into its row. What the row has no column for (address, user agent, headers) ends here. */
import type { Click } from "@hopline/core/click";
import type { ClickRow } from "@hopline/db/insert-clicks";

export function toClickRow(eventId: string, click: Click): ClickRow {
  return {
    eventId,
    clickedAtMs: click.clickedAtMs,
    linkId: click.linkId,
    linkVersion: click.linkVersion,
    source: click.source,
    country: click.country,
    region: click.region,
    // A visitor who asked not to be tracked is counted, but not placed.
    city: click.optedOut ? null : click.city,
    continent: click.continent,
    colo: click.colo,
    asn: click.asn,
  };
}
