/** One thing that was checked: what it is like, and what to do about it. */

/** `unknown` is what could not be checked from here; only an `error` makes the doctor's exit code 1. */
export type Level = "ok" | "warning" | "error" | "unknown";

export type Finding = {
  readonly level: Level;
  readonly area:
    | "configuration"
    | "secrets"
    | "schema"
    | "shards"
    | "database"
    | "clickhouse"
    | "work"
    | "alerts"
    | "versions"
    | "account";
  /** The file, the Worker or the server it was found in. */
  readonly where: string;
  /** What was found; no full stop, no secret. */
  readonly what: string;
  /** What to do; null where there is nothing to do. */
  readonly todo: string | null;
};

const MARKS: Readonly<Record<Level, string>> = { ok: "✓", warning: "!", error: "✗", unknown: "?" };
const AREA_WIDTH = 13;

/** Makes the findings about one thing. */
export function about(area: Finding["area"], where: string) {
  const make = (level: Level, what: string, todo: string | null): Finding => ({
    level,
    area,
    where,
    what,
    todo,
  });
  return {
    good: (what: string) => make("ok", what, null),
    fault: (what: string, todo: string) => make("error", what, todo),
    concern: (what: string, todo: string) => make("warning", what, todo),
    unseen: (what: string, todo: string) => make("unknown", what, todo),
  };
}

/** `✗ schema        database at …: 0003_clicks.sql is not applied. Run …` */
export function describeFinding({ level, area, where, what, todo }: Finding): string {
  return `${MARKS[level]} ${area.padEnd(AREA_WIDTH)} ${where}: ${what}.${todo === null ? "" : ` ${todo}`}`;
}
