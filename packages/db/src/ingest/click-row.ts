/**
 * A row of `click_events` as the consumer knows it; the statement adds workspace and domain from the database.
 * migrations/0003 says what the columns mean.
 */
import { type Column, type ColumnType, toColumns, type ValueOf } from "./columns.ts";

/** UUIDs as text. `clickedAtMs` is in epoch milliseconds; the statement stores it as `clicked_at`. */
const KNOWN = {
  eventId: "uuid",
  clickedAtMs: "float8",
  linkId: "uuid",
  linkVersion: "bigint",
  source: "text",
  class: "text",
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
  colo: "text",
  utmSource: "text",
  utmMedium: "text",
  utmCampaign: "text",
  utmTerm: "text",
  utmContent: "text",
} as const;

export type ClickRow = {
  readonly [Field in keyof typeof KNOWN]: ValueOf<(typeof KNOWN)[Field]>;
} & { readonly [Field in keyof typeof OPTIONAL]: ValueOf<(typeof OPTIONAL)[Field]> | null } & {
  /** Counted with the click (count-clicks.ts), and in no column of it. */
  readonly alias?: string | null;
};

export type ClickField = keyof typeof KNOWN | keyof typeof OPTIONAL;

export const CLICK_COLUMNS: readonly Column<ClickField>[] = toColumns({
  ...KNOWN,
  ...OPTIONAL,
});

/** Postgres and ClickHouse both hold instants until here: ClickHouse's quarters of an hour are 32 bits of seconds. Epoch milliseconds. */
const LAST_MS = 2 ** 32 * 1_000;
const WHOLE = { smallint: 2 ** 15, integer: 2 ** 31, bigint: Number.MAX_SAFE_INTEGER };

/**
 * The first field that no database would take, or `null`. With these found before anything is written, a segment is counted as a whole.
 */
export function findUnstorable(row: ClickRow): string | null {
  const found = CLICK_COLUMNS.find(({ field, type }) => {
    const value = row[field];
    return value !== null && !(field === "clickedAtMs" ? isInstant(value) : isStorable(value, type));
  });
  return found?.field ?? null;
}

function isInstant(value: string | number): boolean {
  return typeof value === "number" && value >= 0 && value < LAST_MS;
}

function isStorable(value: string | number, type: ColumnType): boolean {
  switch (type) {
    case "uuid":
      return typeof value === "string" && /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(value);
    case "text":
      return typeof value === "string" && value.isWellFormed() && !value.includes("\0");
    case "float8":
      return typeof value === "number" && Number.isFinite(value);
    case "smallint":
    case "integer":
    case "bigint":
      return typeof value === "number" && Number.isInteger(value) && Math.abs(value) < WHOLE[type];
  }
}
