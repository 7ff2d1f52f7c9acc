/**
 * A row of `click_events` as the consumer knows it; the statement adds workspace and domain from the database.
 * migrations/0003 says what the columns mean.
 */
import { type Column, toColumns, type ValueOf } from "./columns.ts";

/** UUIDs as text. `clickedAtMs` is in epoch milliseconds; the statement stores it as `clicked_at`. `quality` has one bit per reason. */
const KNOWN = {
  eventId: "uuid",
  clickedAtMs: "float8",
  linkId: "uuid",
  linkVersion: "bigint",
  source: "text",
  class: "text",
  quality: "smallint",
  classifierVersion: "smallint",
} as const;

/** `null` if not known. `visitor` is 32 hexadecimal digits. */
const OPTIONAL = {
  ruleId: "text",
  variantId: "text",
  destination: "text",
  visitor: "uuid",
  referrerHost: "text",
  language: "text",
  browser: "text",
  os: "text",
  device: "text",
  country: "text",
  region: "text",
  city: "text",
  continent: "text",
  latitude: "real",
  longitude: "real",
  colo: "text",
  asn: "bigint",
  utmSource: "text",
  utmMedium: "text",
  utmCampaign: "text",
  utmTerm: "text",
  utmContent: "text",
} as const;

export type ClickRow = {
  readonly [Field in keyof typeof KNOWN]: ValueOf<(typeof KNOWN)[Field]>;
} & { readonly [Field in keyof typeof OPTIONAL]: ValueOf<(typeof OPTIONAL)[Field]> | null };

export const CLICK_COLUMNS: readonly Column<keyof ClickRow>[] = toColumns({ ...KNOWN, ...OPTIONAL });
