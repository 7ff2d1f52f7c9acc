/** Pages load the styles that they use: one that borrows a class of another page's looks right only after a visit there. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

const APP = join(import.meta.dirname, "../app");
const PAGE = /import\("(\.[^"]+)"\)/g;
const IMPORT = /^(?:import|export) [^;]*?"(\.[^"]+)";/gm;
const CLASS_NAMES = /className=(?:"([^"]*)"|\{([^}]*)\})/g;

const read = (file: string) => readFileSync(file, "utf8");
const namesIn = (file: string, pattern: RegExp) =>
  [...read(file).matchAll(pattern)].map(([, name = ""]) => join(dirname(file), name));

/** What is loaded with a file; with the parts of a page that come later, if `withParts`. */
function loadedWith(file: string, withParts: boolean, found = new Set<string>()): ReadonlySet<string> {
  if (!found.has(file)) {
    found.add(file);
    const imported = file.endsWith(".css") ? [] : namesIn(file, IMPORT);
    const parts = withParts ? namesIn(file, PAGE) : [];
    [...imported, ...parts].forEach((next) => loadedWith(next, withParts, found));
  }
  return found;
}

const classesOf = (style: string) =>
  [...read(style).matchAll(/\.([a-z][\w-]*)/g)].map(([, name = ""]) => name);
const isStyle = (file: string) => file.endsWith(".css");

it.each([...new Set(namesIn(join(APP, "router.tsx"), PAGE))].map((page) => page.slice(APP.length + 1)))(
  "%s loads the styles of its classes",
  (page) => {
    const first = loadedWith(join(APP, "main.tsx"), false);
    const files = [...loadedWith(join(APP, page), true)];
    const styles = readdirSync(join(APP, "styles")).map((name) => join(APP, "styles", name));
    const isLoaded = (style: string) => first.has(style) || files.includes(style);
    const known = new Set(styles.filter(isLoaded).flatMap(classesOf));
    const foreign = new Set(styles.flatMap(classesOf).filter((name) => !known.has(name)));
    const used = files
      .filter((file) => !isStyle(file))
      .flatMap((file) => [...read(file).matchAll(CLASS_NAMES)])
      .flatMap(
        ([, plain, made = ""]) => plain ?? [...made.matchAll(/["`]([^"`]*)["`]/g)].map(([, text]) => text),
      )
      .flatMap((text = "") => text.split(/[^\w-]+/));
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((name) => foreign.has(name))).toEqual([]);
  },
);
