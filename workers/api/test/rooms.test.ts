/**
 * The API's rooms are its folders, and each file of its root is one. What a room imports is below it: read upwards from the
 * lowest floor, each room is made of what the reader knows. Types alone stand nowhere.
 */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, it } from "vitest";

const SOURCE = join(import.meta.dirname, "../src");
const IMPORT = /^(?:import|export) (type )?([^;]*?)\s?from "(\.[^"]+)";/gm;

/** What a room imports, by room. */
const imports = new Map<string, Set<string>>();
for (const path of globSync("**/*.ts", { cwd: SOURCE })) {
  const room = toRoom(path);
  const known = imports.get(room) ?? new Set();
  imports.set(room, known);
  for (const [, type, names = "", from = ""] of readFileSync(join(SOURCE, path), "utf8").matchAll(IMPORT)) {
    const isOfTypes = type !== undefined || /^\{(?:\s*type \w+,?)+\s*\}$/.test(names);
    const imported = toRoom(normalize(join(dirname(path), from)));
    if (!isOfTypes && imported !== room) {
      known.add(imported);
    }
  }
}

function toRoom(path: string): string {
  return path.split("/")[0] ?? "";
}

/** One above the highest that it imports. */
function floorOf(room: string, above: readonly string[] = []): number {
  if (above.includes(room)) {
    throw new Error(`an arrow goes up: ${[...above, room].join(" imports ")}`);
  }
  const below = [...(imports.get(room) ?? [])].map((one) => floorOf(one, [...above, room]));
  return 1 + Math.max(0, ...below);
}

it("no arrow goes up, and no room is above the tenth floor", () => {
  expect(imports.get("app.ts")).toContain("http");
  expect(Math.max(...[...imports.keys()].map((room) => floorOf(room)))).toBeLessThanOrEqual(10);
});

it("http imports no feature, not even its types", () => {
  const found = globSync("http/*.ts", { cwd: SOURCE }).flatMap((path) =>
    Array.from(
      readFileSync(join(SOURCE, path), "utf8").matchAll(/from "(\.\.\/[^"]+)"/g),
      ([, from]) => from,
    ),
  );
  expect([...new Set(found)].toSorted()).toEqual(["../database.ts", "../log.ts", "../random-text.ts"]);
});
