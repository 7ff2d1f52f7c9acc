/** What people read is in the catalogues: words.ts of each folder, and describe-….ts where words follow from data. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "vite";
import { expect, it } from "vitest";

const APP = join(import.meta.dirname, "../app");
const CATALOGUE = /(?:^|[/-])words\.ts$|\/describe-[\w-]+\.ts$/;
/** Attributes and properties whose text is read, or read out, and functions that say theirs. */
const READ =
  /^(?:label|title|placeholder|hint|about|submit|button|said|advice|what|alt|remove|names|createdBy|cell|children|data-hint|aria-(?:label|description))$/;
const SAYING = /^(?:say|hinted)$/;
/** Two words or more that begin with a capital: nothing but text looks so. */
const SENTENCE = /^[A-Z][a-z’']* [\w(“]/;
const EXAMPLE = /^\S*[./]\S*[^.…]$/;
/** A bug's message is for the log. */
const NOT_READ = /^(?:Error|TypeError)$/;

type Node = { readonly type: string; readonly [field: string]: unknown };
const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
const nameOf = (value: unknown) => (isNode(value) ? String(value["name"] ?? value["value"] ?? "") : "");

/** The texts below a node. `isRead`: it is where a person reads. */
function textsIn(value: unknown, isRead: boolean): readonly string[] {
  if (Array.isArray(value)) {
    return value.flatMap((one) => textsIn(one, isRead));
  }
  if (!isNode(value)) {
    return [];
  }
  const below = (names: readonly string[], read: boolean) =>
    names.flatMap((name) => textsIn(value[name], read));
  const others = (...without: string[]) =>
    below(
      Object.keys(value).filter((name) => !without.includes(name)),
      false,
    );
  switch (value.type) {
    case "JSXText":
      return textOf(value["value"], true);
    case "Literal":
      return textOf(value["value"], isRead);
    case "TemplateLiteral":
      return [...textOf(rawOf(value["quasis"]), isRead), ...below(["expressions"], isRead)];
    case "JSXElement": {
      const { name } = value["openingElement"] as { readonly name: unknown };
      const isCode = /^(?:code|kbd)$/.test(nameOf(name));
      return [...below(["openingElement"], false), ...(isCode ? [] : below(["children"], true))];
    }
    case "JSXAttribute":
      return below(["value"], READ.test(nameOf(value["name"])));
    case "Property":
      return below(["value"], READ.test(nameOf(value["key"])));
    case "ConditionalExpression":
      return [...below(["test"], false), ...below(["consequent", "alternate"], isRead)];
    case "LogicalExpression":
      return [...below(["left"], isRead && value["operator"] !== "&&"), ...below(["right"], isRead)];
    case "MemberExpression":
      return below(["object"], isRead);
    case "JSXFragment":
    case "JSXExpressionContainer":
    case "ArrowFunctionExpression":
      return below(["children", "expression", "body"], isRead || value.type === "JSXFragment");
    case "NewExpression":
      return NOT_READ.test(nameOf(value["callee"])) ? [] : others();
    case "CallExpression":
      // What is joined or trimmed is still read.
      return [...below(["callee"], isRead), ...below(["arguments"], SAYING.test(nameOf(value["callee"])))];
    case "ArrayExpression":
      return below(["elements"], isRead);
    default:
      return value.type.startsWith("TS") && value["expression"] === undefined ? [] : others("type", "source");
  }
}

function rawOf(quasis: unknown): string {
  return (quasis as readonly { readonly value: { readonly raw: string } }[])
    .map(({ value }) => value.raw)
    .join("…");
}

function textOf(value: unknown, isRead: boolean): readonly string[] {
  const text = typeof value === "string" ? value.trim() : "";
  return (isRead ? /[A-Za-z]/.test(text) && !EXAMPLE.test(text) : SENTENCE.test(text)) ? [text] : [];
}

const find = (name: string, code: string) => textsIn(parseSync(name, code).program, false);

it("all text that people read is in a catalogue", () => {
  const files = readdirSync(APP, { recursive: true, encoding: "utf8" }).filter(
    (name) => /\.tsx?$/.test(name) && !CATALOGUE.test(`/${name}`),
  );
  expect(files.length).toBeGreaterThan(100);
  const texts = files.flatMap((name) =>
    find(name, readFileSync(join(APP, name), "utf8")).map((text) => `${name}: ${text}`),
  );
  expect(texts).toEqual([]);
});

it("all that a catalogue has is said somewhere", () => {
  const files = readdirSync(APP, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  const code = files.map((name) => readFileSync(join(APP, name), "utf8")).join("\n");
  const said = new Set([...code.matchAll(/\b(?:t|shared)\.(\w+)/g)].map(([, key]) => key));
  const kept = [...code.matchAll(/^export const (?:t|shared) = \{\n(.*?)^\};/gms)].flatMap(
    ([, entries = ""]) => [...entries.matchAll(/^ {2}(\w+):/gm)].map(([, key = ""]) => key),
  );
  expect(kept.length).toBeGreaterThan(500);
  expect(kept.filter((key) => !said.has(key))).toEqual([]);
});

it("text is found wherever it is written", () => {
  const code = `const a = { label: "one", cell: () => x ?? "two" }; say(\`three \${name}\`); const b = "Four words"; const d = { said: () => [t.a, "again"].join(" ") };
    const c = <p title={is ? "five" : t.six} className="no text">seven {is && "eight"} <code>pnpm dev</code></p>;`;
  expect(find("sample.tsx", code)).toEqual([
    "one",
    "two",
    "three …",
    "Four words",
    "again",
    "five",
    "seven",
    "eight",
  ]);
});
