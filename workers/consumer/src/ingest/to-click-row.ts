/**
 * Turns a click into its row. The address, the user agent and the headers go no further: the row has no column for
 * them. Total for any decoded click: no text makes it throw, and Postgres accepts every text in the row.
 */
import type { Click } from "@hopline/core/click/click";
import type { ClickRow } from "@hopline/db/ingest/click-row";
import { classifyClick } from "../enrich/click-class.ts";
import type { Enrichment } from "../enrich/enrichment.ts";
import { hashVisitor } from "../enrich/visitor-hash.ts";

export async function toClickRow(
  eventId: string,
  click: Click,
  { visitorKeys, deviceOf, claimOf, hostOf, languageOf }: Enrichment,
): Promise<ClickRow> {
  return {
    eventId,
    clickedAtMs: click.clickedAtMs,
    linkId: click.linkId,
    linkVersion: click.linkVersion,
    alias: toStorable(click.alias),
    ruleId: toStorable(click.ruleId),
    variantId: toStorable(click.variantId),
    destination: toStorable(click.destination),
    source: click.source,
    class: classifyClick(click, claimOf),
    visitor: visitorKeys === null ? null : await hashVisitor(click, visitorKeys),
    referrerHost: hostOf(click.referrer),
    language: languageOf(click.acceptLanguage),
    ...deviceOf(click.userAgent),
    country: toStorable(click.country),
    region: toStorable(click.region),
    // Visitors who opted out of tracking are counted, but neither recognised nor located.
    city: click.optedOut ? null : toStorable(click.city),
    continent: toStorable(click.continent),
    colo: toStorable(click.colo),
    utmSource: toStorable(click.utmSource),
    utmMedium: toStorable(click.utmMedium),
    utmCampaign: toStorable(click.utmCampaign),
    utmTerm: toStorable(click.utmTerm),
    utmContent: toStorable(click.utmContent),
  };
}

/** Postgres accepts neither U+0000 nor half a surrogate pair, and a click must not fail for either. */
function toStorable(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : text.toWellFormed().replaceAll("\0", "");
}
