/** What one API call changes, every isolate shows: those that read the feed, and not the one that does not. */
import type { LinkState } from "@hopline/core/link/link-record";
import { encodeLinkRecord } from "@hopline/core/link/link-record";
import type { Link } from "@hopline/client/openapi";
import { describe, expect, it } from "vitest";
import {
  createLink,
  deaf,
  describeVisit,
  expectEverywhere,
  FIRST,
  isolates,
  keyOf,
  stack,
  uuidOf,
} from "./isolate-stack.ts";

describe("every isolate shows, by way of the feed,", () => {
  it.each<[string, Change, string]>([
    ["an edit", { url: "https://example.com/second" }, "302 https://example.com/second"],
    ["a link that was switched off", { state: "disabled" }, "410"],
    ["a deletion", { state: "deleted" }, "404"],
  ])("%s", async (_what, change, expected) => {
    const link = await createLink();
    for (const isolate of [...isolates, deaf]) {
      expect(await describeVisit(isolate, link.slug)).toBe(`302 ${FIRST}`);
    }
    await commit(link, change);
    await stack.hopline.publishLink({ linkId: link.id });
    await expectEverywhere(link.slug, expected);
    // Its own 30 s are not over: what was seen above came by way of the feed.
    expect(await describeVisit(deaf, link.slug)).toBe(`302 ${FIRST}`);
  });

  it("a link under a slug that was a 404 a moment ago", async () => {
    const slug = "probed-before";
    for (const isolate of [...isolates, deaf]) {
      expect(await describeVisit(isolate, slug)).toBe("404");
    }
    await createLink({ slug });
    await expectEverywhere(slug, `302 ${FIRST}`);
    expect(await describeVisit(deaf, slug)).toBe("404");
  });
});

describe("an import", () => {
  it("of many links is in effect everywhere, where slugs were a 404 a moment ago", async () => {
    // Few enough that a busy machine is done in the ten seconds for which an isolate holds a 404.
    const slugs = Array.from({ length: 200 }, (_, index) => `imported-${index}`);
    const probed = [slugs[0] ?? "", slugs.at(-1) ?? ""];
    const lines = ["slug,url", ...slugs.map((slug) => `${slug},https://example.com/first`)];
    const body = new Blob([lines.join("\n")], { type: "text/csv" });
    const visits = probed.flatMap((slug) =>
      [...isolates, deaf].map((isolate) => describeVisit(isolate, slug)),
    );
    expect(new Set(await Promise.all(visits))).toEqual(new Set(["404"]));
    expect(await stack.hopline.importLinks({ body })).toMatchObject({ created: slugs.length, refused: 0 });
    await Promise.all(probed.map((slug) => expectEverywhere(slug, `302 ${FIRST}`)));
    expect(await describeVisit(deaf, probed[0] ?? "")).toBe("404");
  });
});

describe("KV", () => {
  it("never wins with an older version, not even in an isolate that had never seen the link", async () => {
    const link = await createLink();
    const key = keyOf(link);
    const kv = await stack.runtime.getKv("LINKS");
    const older = (await kv.get(key, "text")) ?? "";
    await commit(link, { url: "https://example.com/second" });
    await stack.hopline.publishLink({ linkId: link.id });
    // As a data centre that read the key a moment before would have it.
    await kv.put(key, older);
    await expectEverywhere(link.slug, "302 https://example.com/second");
    expect(await describeVisit(deaf, link.slug)).toBe(`302 ${FIRST}`);
  });
});

describe("the scheduled job", () => {
  it("brings to every isolate what a crash has left in the outbox", async () => {
    const link = await createLink();
    expect(await describeVisit(isolates[0] ?? "", link.slug)).toBe(`302 ${FIRST}`);
    await commit(link, { state: "disabled" });
    await stack.runtime.runJobs("hopline-api");
    await expectEverywhere(link.slug, "410");
  });
});

type Change = { readonly url?: string; readonly state?: LinkState };

/**
 * A change and its outbox row, as one transaction of the API leaves them before it publishes. Only the record matters
 * to the edge; the column `state` stays, or the API would no longer show the link.
 */
async function commit(link: Link, { url = FIRST, state = "live" }: Change): Promise<void> {
  const linkId = uuidOf(link);
  const record = encodeLinkRecord({ linkId, state, url, redirectStatus: 302 });
  await stack.database.query(
    `WITH changed AS (
       UPDATE links SET url = $2, version = 2, record = $3::text WHERE id = $1 RETURNING id, slug
     )
     INSERT INTO work (kind, key, payload)
     SELECT 'publish', $4 || '/' || slug, jsonb_build_object('linkId', id, 'version', 2, 'record', in_version($3, 2)) FROM changed`,
    [linkId, url, record, stack.demo.host],
  );
}
