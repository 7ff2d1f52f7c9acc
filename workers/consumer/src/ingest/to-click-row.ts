/**
 * Turns a click into its row. What the row has no column for (address, user agent, headers) ends here. Total for any
 * decoded click: no text can make it throw, and none of its texts is one that Postgres would refuse.
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
  // Who asked not to be tracked is counted, but neither recognised nor placed.
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

/** One bit a reason, bit 0 for the first of QUALITY_REASONS. */
function toQualityBits(reasons: readonly QualityReason[]): number {
  return reasons.reduce((bits, reason) => bits | (1 << QUALITY_REASONS.indexOf(reason)), 0);
}

/** Postgres takes neither U+0000 nor half a surrogate pair; a click must not fail over either. */
function toStorable(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : text.toWellFormed().replaceAll("\0", "");
}
