/**
 * Expiry and other limits of another product's links, where its export has them (looked up 2026-11, sources in import-row.ts).
 * A link that has ended there must not redirect again here. Total: an unreadable time is passed on as it is, and the schema
 * refuses it by field.
 *
 * Archived links of Bitly and Dub still redirect there, so they do here. Doubly stores an expiry and ignores it.
 */
import type { FieldError } from "../http/problem.ts";
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
        // As there: visits are counted after the redirect, so a few more than the maximum may get through.
        cap: typeof maxVisits === "number" ? { mode: "fast", maxClicks: maxVisits } : null,
      }),
      usedClicks: typeof visits === "number" && Number.isSafeInteger(visits) && visits > 0 ? visits : 0,
    };
  },
};

/** By Dub's name of the field, what it does. */
const DUB_TARGETS = {
  geo: "leads visitors of some countries elsewhere",
  ios: "leads iPhones and iPads elsewhere",
  android: "leads Android phones elsewhere",
} as const;

/** Destinations of Dub's link that the imported one would lack, so that some visitors would silently arrive elsewhere than before. */
export function findDubTargets(fields: Fields): readonly FieldError[] {
  return Object.entries(DUB_TARGETS)
    .filter(([path]) => !isEmpty(fields.get(path)))
    .map(([path, what]) => ({
      path,
      message: `${what}, which an import does not take over: create this link with a rule instead`,
    }));
}

function isEmpty(value: unknown): boolean {
  return typeof value === "string"
    ? /^\s*(?:null|\{\s*\})?\s*$/.test(value)
    : value === undefined || value === null || Object.keys(asObject(value)).length === 0;
}

function onlySet(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null && value !== ""),
  );
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
