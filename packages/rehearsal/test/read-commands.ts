/** The commands that a page names, in the page's order: its blocks for a shell, and those of ours in its text. */
import { readFile } from "node:fs/promises";

import { inWorkspace } from "@hopline/testkit/workspace/workspace";

const BLOCK = /^( *)```sh\n([^]*?)^ *```/gm;
const IN_TEXT = /`((?:[A-Z_]+=\S+ )*(?:npx -y pnpm@12|pnpm) [^`]+)`/g;

export async function readCommands(path: string): Promise<readonly string[]> {
  const page = await readFile(inWorkspace(path), "utf8");
  const blocks = [...page.matchAll(BLOCK)].map(({ index, 2: code = "" }) => ({ index, code: code.trim() }));
  const text = page.replaceAll(/^( *)```[^]*?^ *```/gm, (block) => " ".repeat(block.length));
  const inText = [...text.matchAll(IN_TEXT)].map(({ index, 1: code = "" }) => ({
    index,
    code: code.replaceAll(/\s+/g, " "),
  }));
  return [...blocks, ...inText].toSorted((one, other) => one.index - other.index).map(({ code }) => code);
}
