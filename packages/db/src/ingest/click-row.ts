/**
 * A row of `click_events` and the one list of its columns that come with the click. The statement and its parameters
 * are both made from this list, so that they cannot disagree; workspace and domain are looked up in the database.
 */

/** UUIDs as text, instants in epoch milliseconds. `null` means "not known". What the columns mean: migrations/0002. */
export type ClickRow = {
  readonly eventId: string;
  readonly clickedAtMs: number;
  readonly linkId: string;
  readonly linkVersion: number;
  readonly ruleId: string | null;
  readonly variantId: string | null;
  readonly destination: string | null;
  readonly source: string;
  readonly class: string;
  /** One bit a reason. */
  readonly quality: number;
  readonly classifierVersion: number;
  /** 32 hexadecimal digits. */
  readonly visitor: string | null;
  readonly referrerHost: string | null;
  readonly language: string | null;
  readonly browser: string | null;
  readonly os: string | null;
  readonly device: string | null;
  readonly country: string | null;
  readonly region: string | null;
  readonly city: string | null;
  readonly continent: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly colo: string | null;
  readonly asn: number | null;
  readonly utmSource: string | null;
  readonly utmMedium: string | null;
  readonly utmCampaign: string | null;
  readonly utmTerm: string | null;
  readonly utmContent: string | null;
};

type ClickColumn = {
  readonly name: string;
  /** The type of the parameter's elements. */
  readonly type: "uuid" | "text" | "bigint" | "smallint" | "real" | "float8";
  readonly field: keyof ClickRow;
};

/** `clicked_at_ms` is the one that is not stored as it comes: the statement makes `clicked_at` of it. */
export const CLICK_COLUMNS: readonly ClickColumn[] = [
  { name: "event_id", type: "uuid", field: "eventId" },
  { name: "clicked_at_ms", type: "float8", field: "clickedAtMs" },
  { name: "link_id", type: "uuid", field: "linkId" },
  { name: "link_version", type: "bigint", field: "linkVersion" },
  { name: "rule_id", type: "text", field: "ruleId" },
  { name: "variant_id", type: "text", field: "variantId" },
  { name: "destination", type: "text", field: "destination" },
  { name: "source", type: "text", field: "source" },
  { name: "class", type: "text", field: "class" },
  { name: "quality", type: "smallint", field: "quality" },
  { name: "classifier_version", type: "smallint", field: "classifierVersion" },
  { name: "visitor", type: "uuid", field: "visitor" },
  { name: "referrer_host", type: "text", field: "referrerHost" },
  { name: "language", type: "text", field: "language" },
  { name: "browser", type: "text", field: "browser" },
  { name: "os", type: "text", field: "os" },
  { name: "device", type: "text", field: "device" },
  { name: "country", type: "text", field: "country" },
  { name: "region", type: "text", field: "region" },
  { name: "city", type: "text", field: "city" },
  { name: "continent", type: "text", field: "continent" },
  { name: "latitude", type: "real", field: "latitude" },
  { name: "longitude", type: "real", field: "longitude" },
  { name: "colo", type: "text", field: "colo" },
  { name: "asn", type: "bigint", field: "asn" },
  { name: "utm_source", type: "text", field: "utmSource" },
  { name: "utm_medium", type: "text", field: "utmMedium" },
  { name: "utm_campaign", type: "text", field: "utmCampaign" },
  { name: "utm_term", type: "text", field: "utmTerm" },
  { name: "utm_content", type: "text", field: "utmContent" },
];
