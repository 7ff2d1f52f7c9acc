/**
 * The API's rooms are its folders, and each file of its root is one. What a room imports is below it: read upwards from the
 * lowest floor, each room is made of what the reader knows. Types alone stand nowhere.
 */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, it } from "vitest";

const SOURCE = join(import.meta.dirname, "../src");
const ANALYTICS = join(import.meta.dirname, "../../../packages/analytics/src");
const IMPORT = /^(?:import|export) (type )?([^;]*?)\s?from "(\.[^"]+)";/gm;

type Rooms = ReadonlyMap<string, ReadonlySet<string>>;

/** What a room imports, by room. */
function readRooms(source: string): Rooms {
  const imports = new Map<string, Set<string>>();
  for (const path of globSync("**/*.ts", { cwd: source })) {
    const room = toRoom(path);
    const known = imports.get(room) ?? new Set();
    imports.set(room, known);
    for (const [, type, names = "", from = ""] of readFileSync(join(source, path), "utf8").matchAll(IMPORT)) {
      const isOfTypes = type !== undefined || /^\{(?:\s*type \w+,?)+\s*\}$/.test(names);
      const imported = toRoom(normalize(join(dirname(path), from)));
      if (!isOfTypes && imported !== room) {
        known.add(imported);
      }
    }
  }
  return imports;
}

function toRoom(path: string): string {
  return path.split("/")[0] ?? "";
}

/** One above the highest that it imports. */
function floorOf(imports: Rooms, room: string, above: readonly string[] = []): number {
  if (above.includes(room)) {
    throw new Error(`an arrow goes up: ${[...above, room].join(" imports ")}`);
  }
  const below = [...(imports.get(room) ?? [])].map((one) => floorOf(imports, one, [...above, room]));
  return 1 + Math.max(0, ...below);
}

it("no arrow goes up, and no room is above the tenth floor", () => {
  const imports = readRooms(SOURCE);
  expect(imports.get("app.ts")).toContain("http");
  expect(Math.max(...[...imports.keys()].map((room) => floorOf(imports, room)))).toBeLessThanOrEqual(10);
});

it("no arrow of the analytics goes up, and a question goes down nine floors at most from its route to the tag of SQL", () => {
  const imports = readRooms(ANALYTICS);
  const [route, statements, tag] = ["analytics", "run-statements.ts", "@hopline/db/sql"];
  expect(readRooms(SOURCE).get(route)).toContain(statements);
  expect(imports.get("clickhouse")).toContain("postgres");
  const floors = [...imports.keys()].map((room) => floorOf(imports, room));
  expect(Math.max(...floors) + [route, statements, tag].length).toBeLessThanOrEqual(9);
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
