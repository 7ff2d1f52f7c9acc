/** Imported links reach KV through the publishing queue, without a visit and without the scheduled job. */
import { expect, it, vi } from "vitest";
import { POLL, stack } from "./visitor-stack.ts";

/** More than one message of the queue is for. */
const LINKS = 120;

it("brings every link of a file to KV, and leaves no work behind", async () => {
  const slugs = Array.from({ length: LINKS }, (_, index) => `Filed${index}`);
  const lines = ["slug,url", ...slugs.map((slug) => `${slug},https://example.com/${slug}`)];
  const body = new Blob([lines.join("\n")], { type: "text/csv" });
  expect(await stack.hopline.importLinks({ body })).toMatchObject({ created: LINKS, refused: 0 });
  await vi.waitFor(async () => expect(await countWaiting()).toBe(0), POLL);
  const kv = await stack.runtime.getKv("LINKS");
  const records = await Promise.all(slugs.map((slug) => kv.get(`${stack.demo.host}/${slug}`, "text")));
  const destinations = records.map((record) => JSON.parse(record ?? "{}") as { readonly url?: string });
  expect(destinations.map(({ url }) => url)).toEqual(slugs.map((slug) => `https://example.com/${slug}`));
});

async function countWaiting(): Promise<number> {
  const { rows } = await stack.database.query<{ links: number }>(
    "SELECT count(*)::int AS links FROM work WHERE kind = 'publish-import'",
  );
  return rows[0]?.links ?? 0;
}
