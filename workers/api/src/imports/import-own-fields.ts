/**
 * The fields that only our own export has: rules, limits, state. JSON lines have them as they are; in CSV, those that are more
 * than text are cells of JSON. Total: an unreadable value is passed on as it is, and the schema refuses it by field.
 */
import type { OwnStatus } from "../links/store/link-status.ts";

/** By name in the export: whether its CSV cell is JSON or text. */
const SMART_FIELDS = {
  rules: "json",
  split: "json",
  next: "json",
  startsAt: "text",
  expiresAt: "text",
  expiredUrl: "text",
  cap: "json",
  forwardQuery: "text",
  utm: "json",
  openGraph: "json",
  qr: "json",
} as const;

export const SMART_COLUMNS: readonly SmartColumn[] = Object.keys(SMART_FIELDS).filter(isSmartColumn);
export type SmartColumn = keyof typeof SMART_FIELDS;

/** By name in lower case without punctuation, as `readImportRow` matches them. */
type Fields = ReadonlyMap<string, unknown>;

export type OwnFields = {
  /** For the schema of a new link. */
  readonly smart: Readonly<Record<string, unknown>>;
  readonly state: OwnStatus;
  /** Uses that already count towards the cap. */
  readonly usedClicks: number;
  /** Absent: the link follows its domain's default. */
  readonly redirectStatus?: number;
};

export function readOwnFields(fields: Fields): OwnFields {
  const named = SMART_COLUMNS.flatMap((name): [string, unknown][] => {
    const value = readValue(fields.get(name.toLowerCase()), SMART_FIELDS[name]);
    return isSet(value) && value !== "none" ? [[name, value]] : [];
  });
  const { cap, ...rest } = Object.fromEntries(named);
  const { used, ...wantedCap } = isObject(cap) ? cap : {};
  const status = fields.get("redirectstatus");
  const hasOwn = fields.get("hasownredirectstatus");
  const isOwn = hasOwn !== false && hasOwn !== "false";
  return {
    smart: cap === undefined ? rest : { ...rest, cap: isObject(cap) ? wantedCap : cap },
    state: readState(fields.get("status")),
    usedClicks: typeof used === "number" && Number.isSafeInteger(used) && used > 0 ? used : 0,
    ...(isSet(status) && isOwn ? { redirectStatus: Number(status) } : {}),
  };
}

function readValue(value: unknown, form: "json" | "text"): unknown {
  if (form === "text" || typeof value !== "string") {
    return value;
  }
  try {
    return value.trim() === "" ? undefined : JSON.parse(value);
  } catch {
    return value;
  }
}

function readState(value: unknown): OwnFields["state"] {
  return value === "disabled" || value === "archived" ? value : "live";
}

/** For what a link does not have, an export has `null`, an empty list or an empty cell. */
function isSet(value: unknown): boolean {
  return (
    value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0)
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSmartColumn(name: string): name is SmartColumn {
  return name in SMART_FIELDS;
}
