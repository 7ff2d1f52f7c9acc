/**
 * Turns a click into its row. The address, the user agent and the headers go no further: the row has no column for
 * them. Total for any decoded click: no text makes it throw, and Postgres accepts every text in the row.
 */
import type { Click } from "@hopline/core/click/click";
import type { ClickRow } from "@hopline/db/ingest/click-row";
import {
  CLASSIFIER_VERSION,
  classifyClick,
  QUALITY_REASONS,
  type QualityReason,
} from "../enrich/click-class.ts";
import { coarseCoordinates } from "../enrich/coordinates.ts";
import type { Enrichment } from "../enrich/enrichment.ts";
import { preferredLanguage } from "../enrich/language.ts";
import { referrerHost } from "../enrich/referrer-host.ts";
import { hashVisitor } from "../enrich/visitor-hash.ts";

export async function toClickRow(
  eventId: string,
  click: Click,
  { visitorKeys, deviceOf }: Enrichment,
): Promise<ClickRow> {
  const classification = classifyClick(click);
  // Visitors who opted out of tracking are counted, but neither recognised nor located.
  const place = click.optedOut ? null : coarseCoordinates(click.latitude, click.longitude);
  return {
    eventId,
    clickedAtMs: click.clickedAtMs,
    linkId: click.linkId,
    linkVersion: click.linkVersion,
    ruleId: toStorable(click.ruleId),
    variantId: toStorable(click.variantId),
    destination: toStorable(click.destination),
    source: click.source,
    class: classification.class,
    quality: toQualityBits(classification.reasons),
    classifierVersion: CLASSIFIER_VERSION,
    visitor: visitorKeys === null ? null : await hashVisitor(click, visitorKeys),
    referrerHost: referrerHost(click.referrer),
    language: preferredLanguage(click.acceptLanguage),
    ...deviceOf(click.userAgent),
    country: toStorable(click.country),
    region: toStorable(click.region),
    city: click.optedOut ? null : toStorable(click.city),
    continent: toStorable(click.continent),
    latitude: place?.latitude ?? null,
    longitude: place?.longitude ?? null,
    colo: toStorable(click.colo),
    asn: click.asn,
    utmSource: toStorable(click.utmSource),
    utmMedium: toStorable(click.utmMedium),
    utmCampaign: toStorable(click.utmCampaign),
    utmTerm: toStorable(click.utmTerm),
    utmContent: toStorable(click.utmContent),
  };
}

/** One bit per reason, bit 0 for the first of QUALITY_REASONS. */
function toQualityBits(reasons: readonly QualityReason[]): number {
  return reasons.reduce((bits, reason) => bits | (1 << QUALITY_REASONS.indexOf(reason)), 0);
}

/** Postgres accepts neither U+0000 nor half a surrogate pair, and a click must not fail for either. */
function toStorable(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : text.toWellFormed().replaceAll("\0", "");
}
