/** One thing that was looked at: what it is like, and what to do about it. */

/** `unknown` is what could not be looked at from here; only an `error` makes the doctor's exit code 1. */
export type Level = "ok" | "warning" | "error" | "unknown";

export type Finding = {
  readonly level: Level;
  readonly area: "configuration" | "secrets" | "schema" | "shards" | "database" | "versions" | "account";
  /** The file, the Worker or the server it was found in. */
  readonly where: string;
  /** What was found; no full stop, no secret. */
  readonly what: string;
  /** What to do; null where nothing is to be done. */
  readonly todo: string | null;
};

type Area = Finding["area"];

const MARKS: Readonly<Record<Level, string>> = { ok: "✓", warning: "!", error: "✗", unknown: "?" };
const AREA_WIDTH = 13;

export function good(area: Area, where: string, what: string): Finding {
  return { level: "ok", area, where, what, todo: null };
}

export function fault(area: Area, where: string, what: string, todo: string): Finding {
  return { level: "error", area, where, what, todo };
}

export function concern(area: Area, where: string, what: string, todo: string): Finding {
  return { level: "warning", area, where, what, todo };
}

export function unseen(area: Area, where: string, what: string, todo: string): Finding {
  return { level: "unknown", area, where, what, todo };
}

/** `✗ schema        database at …: 0003_click_counts.sql is not applied. Run …` */
export function describeFinding({ level, area, where, what, todo }: Finding): string {
  return `${MARKS[level]} ${area.padEnd(AREA_WIDTH)} ${where}: ${what}.${todo === null ? "" : ` ${todo}`}`;
}
