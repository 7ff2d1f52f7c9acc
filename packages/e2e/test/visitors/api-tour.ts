/** docs/api.md is run as it stands, in a process of its own: what its snippets print is what their comments say. */
import { readFile } from "node:fs/promises";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { execa } from "execa";
import { expect, it } from "vitest";
import { stack } from "./visitor-stack.ts";

it("the ten tasks of docs/api.md do what the page says", async () => {
  const page = await readFile(inWorkspace("docs/api.md"), "utf8");
  const snippets = Array.from(page.matchAll(/^```ts\n(.*?)^```$/gms), ([, code = ""]) => code);
  expect(page.match(/^## \d+\. /gm)).toHaveLength(10);
  const expected = Array.from(page.matchAll(/console\.log\(.*\/\/ (.*)$/gm), ([, comment]) => comment);
  const { stdout } = await execa("node", ["--input-type=module-typescript"], {
    cwd: inWorkspace("packages/e2e"),
    preferLocal: true,
    env: { HOPLINE_URL: stack.url, KEY: stack.demo.apiKey },
    input: snippets.join("\n"),
  });
  const printed = stdout.replaceAll(stack.url, "http://127.0.0.1:8787").split("\n");
  expect(printed).toEqual(expected);
});
