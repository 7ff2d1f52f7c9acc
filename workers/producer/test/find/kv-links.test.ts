import { linkKeyOf } from "@hopline/core/link/link-address";
import { expect, it } from "vitest";
import { createKvLinks } from "../../src/find/kv-links.ts";

it.each([
  { backFillsKv: true, writes: ["go.example/a"] },
  { backFillsKv: false, writes: [] },
])("with back-fills $backFillsKv, a visit writes $writes: on Free the writes are for edits", async (row) => {
  const writes: string[] = [];
  const namespace = { put: async (key: string) => void writes.push(key) };
  const links = createKvLinks(namespace as unknown as KVNamespace, row);
  await links.fill(linkKeyOf("go.example", "a"), "{}");
  expect(writes).toEqual(row.writes);
});
