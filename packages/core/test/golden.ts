/**
 * Reads the golden wire files: every reader and writer of a format is tested against the same bytes. The files are
 * laid out for people; on the wire the same JSON has no white space.
 */
import { readFileSync } from "node:fs";

export function readGolden(name: string): string {
  const text = readFileSync(new URL(`golden/${name}`, import.meta.url), "utf8");
  return JSON.stringify(JSON.parse(text));
}
