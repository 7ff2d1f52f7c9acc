/**
 * What one API call changes, every isolate shows within two seconds: three isolates of the production bundle over one
 * KV and one change feed, and a fourth that does not follow the feed, to show that it is the feed that does it.
 */
import type { LinkState } from "@hopline/core/link/link-record";
import { encodeLinkRecord } from "@hopline/core/link/link-record";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type LocalStack, openLocalStack } from "./local-stack.ts";
import { visitIsolate } from "./visit-isolate.ts";

/** The promise (DESIGN.md section 2), and what a visit on a busy machine takes. */
const IN_EFFECT_WITHIN_MS = 2_000 + 500;

let stack: LocalStack;
let following: readonly string[];
let deaf: string;

beforeAll(async () => {
  stack = await openLocalStack({ furtherIsolates: [{}, {}, { CHANGE_FEED_MODE: "off" }] });
  const { producerUrl, furtherUrls } = stack.runtime;
  following = [producerUrl, ...furtherUrls.slice(0, 2)];
  deaf = furtherUrls[2] ?? "";
});

afterAll(() => stack.close());

describe("every isolate shows within two seconds", () => {
  it.each<[string, Change, string]>([
    ["an edit", { url: "https://example.com/second" }, "302 https://example.com/second"],
    ["a link that was switched off", { state: "disabled" }, "410"],
    ["a deletion", { state: "deleted" }, "404"],
  ])("%s", async (_what, change, expected) => {
    const link = await createLink();
    for (const isolate of [...following, deaf]) {
      expect(await visit(isolate, link.slug)).toBe("302 https://example.com/first");
    }
    await commit(link, change);
    await publish(link);
    await expectEverywhere(link.slug, expected);
    // Without the feed the isolate's own 30 s are not over: what was seen above came by way of the feed.
    expect(await visit(deaf, link.slug)).toBe("302 https://example.com/first");
  });

  it("a link under a slug that was a 404 a moment ago", async () => {
    const slug = "probed-before";
    for (const isolate of [...following, deaf]) {
      expect(await visit(isolate, slug)).toBe("404");
    }
    await createLink(slug);
    await expectEverywhere(slug, "302 https://example.com/first");
    expect(await visit(deaf, slug)).toBe("404");
  });
});

describe("an import", () => {
  it("of a thousand links is in effect everywhere within two seconds, where slugs were a 404 a moment ago", async () => {
    const slugs = Array.from({ length: 1_000 }, (_, index) => `imported-${index}`);
    const probed = [slugs[0] ?? "", slugs.at(-1) ?? ""];
    for (const slug of probed) {
      for (const isolate of [...following, deaf]) {
        expect(await visit(isolate, slug)).toBe("404");
      }
    }
    const response = await fetch(`${stack.url}/api/v1/links/import`, {
      method: "POST",
      headers: { authorization: `Bearer ${stack.demo.apiKey}`, "content-type": "text/csv" },
      body: ["slug,url", ...slugs.map((slug) => `${slug},https://example.com/first`)].join("\n"),
    });
    expect(await response.json()).toMatchObject({ created: 1_000, refused: 0 });
    await Promise.all(probed.map((slug) => expectEverywhere(slug, "302 https://example.com/first")));
    expect(await visit(deaf, probed[0] ?? "")).toBe("404");
  });
});

describe("KV", () => {
  it("never wins with an older version, not even in an isolate that had never seen the link", async () => {
    const link = await createLink();
    const key = `${stack.demo.host}/${link.slug}`;
    const kv = await stack.runtime.getKv("LINKS");
    const older = (await kv.get(key, "text")) ?? "";
    await commit(link, { url: "https://example.com/second" });
    await publish(link);
    // As a data centre that read the key a moment before would have it.
    await kv.put(key, older);
    await expectEverywhere(link.slug, "302 https://example.com/second");
    expect(await visit(deaf, link.slug)).toBe("302 https://example.com/first");
  });
});

describe("the scheduled job", () => {
  it("brings to every isolate what a crash has left in the outbox", async () => {
    const link = await createLink();
    expect(await visit(following[0] ?? "", link.slug)).toBe("302 https://example.com/first");
    await commit(link, { state: "disabled" });
    await stack.runtime.dispatchScheduled("hopline-api", "* * * * *");
    await expectEverywhere(link.slug, "410");
  });
});

type Link = { readonly id: string; readonly slug: string };
type Change = { readonly url?: string; readonly state?: LinkState };

async function createLink(slug?: string): Promise<Link> {
  const json = { url: "https://example.com/first", ...(slug === undefined ? {} : { slug }) };
  const response = await stack.api.links.$post({ json, header: {} });
  if (response.status !== 201) {
    throw new Error(`The API answered ${response.status}: ${await response.text()}`);
  }
  return response.json();
}

/**
 * A change and its outbox row, as one transaction of the API leaves them before it publishes. Only the record matters
 * to the edge; the column `state` stays, or the API would no longer show the link.
 */
async function commit(
  link: Link,
  { url = "https://example.com/first", state = "live" }: Change,
): Promise<void> {
  const linkId = link.id.slice(4).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  const record = encodeLinkRecord({ linkId, version: 2, state, url, redirectStatus: 302 });
  await stack.database.query(
    `WITH changed AS (
       UPDATE links SET url = $2, version = 2, record = $3 WHERE id = $1 RETURNING id, slug
     )
     INSERT INTO link_outbox (link_key, link_id, version, record) SELECT $4 || '/' || slug, id, 2, $3 FROM changed`,
    [linkId, url, record, stack.demo.host],
  );
}

async function publish({ id: linkId }: Link): Promise<void> {
  const response = await stack.api.links[":linkId"].purge.$post({ param: { linkId }, header: {} });
  expect(response.status).toBe(200);
}

async function expectEverywhere(slug: string, expected: string): Promise<void> {
  await vi.waitFor(
    async () => {
      const answers = await Promise.all(following.map((isolate) => visit(isolate, slug)));
      expect(answers).toEqual(following.map(() => expected));
    },
    { timeout: IN_EFFECT_WITHIN_MS, interval: 50 },
  );
}

/** Status, and destination if there is one. */
async function visit(origin: string, slug: string): Promise<string> {
  const { status, location } = await visitIsolate({ origin, host: stack.demo.host, path: `/${slug}` });
  return location === null ? `${status}` : `${status} ${location}`;
}
