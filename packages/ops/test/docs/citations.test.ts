/** Every file that a document or a comment names exists, and every link leads somewhere. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { describe, expect, it } from "vitest";

import { inWorkspace, WORKSPACE_ROOT } from "@hopline/testkit/workspace/workspace";

/** Files of other projects that we say we have read, and one placeholder. */
const ELSEWHERE = [
  "apps/web/app/api/links/export/route.ts",
  "lib/zod/links.ts",
  "src/deployment-bundle/bundle.ts",
  "0001_name.sql",
];

/** A path from the root. Before it may stand a quote or a bracket, but nothing that makes it part of a URL or a longer path. */
const PATH = /(?<![\w/.@*:<>-])(?:packages|workers|docs|migrations|load-tests|\.github|\.ci)\/[\w./-]*\w/g;

/** A file by its name, with or without a part of its path: `isolate-cache.test.ts`, `links/store/insert-links.ts`. */
const FILE = /(?<![\w/.@*:<>-])[\w./-]*\w\.(?:tsx?|mjs|sql|jsonc|ya?ml|md|svg)\b/g;

const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: WORKSPACE_ROOT,
  encoding: "utf8",
});
const files = listed.split("\n").filter((path) => path !== "" && existsSync(inWorkspace(path)));
const read = (path: string) => readFileSync(inWorkspace(path), "utf8");

/** `migrations/0003` names the migration with that number. */
const isPath = (path: string) =>
  files.some((file) => file === path || file.startsWith(`${path}/`) || file.startsWith(`${path}_`));
const isFile = (name: string) => {
  const plain = name.replace(/^(?:\.{1,2}\/)+/, "");
  return ELSEWHERE.includes(plain) || files.some((file) => file === plain || file.endsWith(`/${plain}`));
};

/** The comments of code and configuration; the whole of a document. */
function readProse(path: string): string {
  const text = read(path);
  if (path.endsWith(".md")) {
    return text;
  }
  const comment = /\.(?:tsx?|m?js|jsonc)$/.test(path)
    ? /^\s*\/?\*+(.*)|(?:^|\s)\/\/(.*)|\s\/\*\*?(.*)\*\//
    : path.endsWith(".sql")
      ? /--(.*)/
      : /(?:^|\s)#(.*)/;
  return text
    .split("\n")
    .map((line) => comment.exec(line)?.slice(1).join("") ?? "")
    .join("\n");
}

const PROSE = /\.(?:md|tsx?|m?js|sql|jsonc|ya?ml)$/;
const prose = files.filter((path) => PROSE.test(path) && !path.endsWith("worker-configuration.d.ts"));

it("names only files and folders that exist, in comments and in documents", () => {
  expect(prose.length).toBeGreaterThan(500);
  const dead = prose.flatMap((path) => {
    const text = readProse(path);
    const paths = (text.match(PATH) ?? []).filter((named) => !isPath(named) && !isFile(named));
    const names = (text.match(FILE) ?? []).filter((named) => !isFile(named));
    return [...new Set([...paths, ...names])].map((named) => `${path}: ${named}`);
  });
  expect(dead).toEqual([]);
});

it("names only sections that exist, where code says `docs/scaling.md, Chunks.`", () => {
  const named = files
    .filter((path) => path.endsWith(".ts") && !path.includes("/test/"))
    .flatMap((path) =>
      [...read(path).matchAll(/\b([\w/-]+\.md), ([A-Z][A-Za-z ]+)[.)"]/g)].map((match) => [path, ...match]),
    );
  expect(named.length).toBeGreaterThan(5);
  const dead = named.filter(
    ([, , page = "", section = ""]) =>
      !readAnchors(page).includes(section.toLowerCase().replaceAll(" ", "-")),
  );
  expect(dead).toEqual([]);
});

describe.each(files.filter((path) => path.endsWith(".md")))("%s", (path) => {
  it("links only to files and headings that exist", () => {
    const dead = [...read(path).matchAll(/(?:\]\(|(?:src|srcset|href)=")([^)\s"]+)/g)].flatMap(
      ([, link = ""]) => {
        const [file = "", heading] = link.split("#");
        if (link.startsWith("https://")) {
          return [];
        }
        const target = file === "" ? path : join(dirname(path), file);
        const isThere = existsSync(inWorkspace(target));
        return isThere && (heading === undefined || readAnchors(target).includes(heading)) ? [] : [link];
      },
    );
    expect(dead).toEqual([]);
  });
});

/** The anchors that GitHub gives to the headings of a document. */
function readAnchors(path: string): readonly string[] {
  return [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, "")
      .trim()
      .replaceAll(" ", "-"),
  );
}

it("packages/e2e/README.md names only system tests that exist", () => {
  const [table = ""] = read("packages/e2e/README.md").split("\n## ", 1);
  const named = [...table.matchAll(/^\|.*$/gm)].flatMap(([row]) => row.match(/(?<=`)\w[\w/-]*(?=`)/g) ?? []);
  const tests = files.flatMap(
    (path) =>
      /^packages\/e2e\/test\/((?:visitors|isolates)\/[\w-]+|[\w-]+(?=\.test))(?:\.test)?\.ts$/.exec(
        path,
      )?.[1] ?? [],
  );
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((name) => !tests.includes(name))).toEqual([]);
});
