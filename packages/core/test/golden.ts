/**
 * Reads the golden wire files: every reader and writer of a format is tested against the same bytes. The files are
 * laid out for people; on the wire the same JSON has no white space.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export function readGolden(name: string): string {
  return JSON.stringify(JSON.parse(readFileSync(join(import.meta.dirname, "golden", name), "utf8")));
}
