/** The newest migration that this release's code was written for; a test compares it with `migrations/`. */
export const SCHEMA_VERSION = 6;

/** `older`: the database lacks a migration of this release. `newer`: it has one of a later release, which only adds. */
export type SchemaState = "current" | "older" | "newer" | "unknown";

/** @param applied the database's newest migration; null where it could not be read. */
export function judgeSchemaVersion(applied: number | null): SchemaState {
  if (applied === null) {
    return "unknown";
  }
  return applied === SCHEMA_VERSION ? "current" : applied < SCHEMA_VERSION ? "older" : "newer";
}
