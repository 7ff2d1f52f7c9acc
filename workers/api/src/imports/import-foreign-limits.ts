/**
 * What ends a link of another product, where the product's export says so (looked up 2026-11, sources in import-row.ts). A
 * link that had ended there must not come back to life here. Total: a time that can't be read is left as it stands, for
 * the schema to refuse with its field.
 *
 * Archived links of Bitly and Dub redirect as ever there, so they do here. Doubly stores an expiry and never looks at it.
 */
import type { OwnFields } from "./import-own-fields.ts";
import { toInstantText } from "./import-time.ts";

type Fields = ReadonlyMap<string, unknown>;

export const NO_LIMITS: OwnFields = { smart: {}, state: "live", usedClicks: 0 };

export const FOREIGN_LIMITS: {
  readonly [Format in "dub" | "kutt" | "shlink"]: (fields: Fields) => OwnFields;
} = {
  dub: (fields) => ({
    ...NO_LIMITS,
    smart: onlySet({
      expiresAt: toInstantText(fields.get("expiresat")),
      expiredUrl: fields.get("expiredurl"),
    }),
  }),
  kutt: (fields) => ({
    ...NO_LIMITS,
    smart: onlySet({ expiresAt: toInstantText(fields.get("expirein")) }),
    state: fields.get("banned") === true ? "disabled" : "live",
  }),
  shlink: (fields) => {
    const meta = asObject(fields.get("meta"));
    const { maxVisits } = meta;
    const visits = asObject(fields.get("visitssummary"))["total"];
    return {
      ...NO_LIMITS,
      smart: onlySet({
        startsAt: toInstantText(meta["validSince"]),
        expiresAt: toInstantText(meta["validUntil"]),
        // As there: visits are counted behind the redirect, and some may pass beyond the last one.
        cap: typeof maxVisits === "number" ? { mode: "fast", maxClicks: maxVisits } : null,
      }),
      usedClicks: typeof visits === "number" && Number.isSafeInteger(visits) && visits > 0 ? visits : 0,
    };
  },
};

function onlySet(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null && value !== ""),
  );
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
