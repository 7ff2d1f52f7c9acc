/** Links that think, end to end: production bundles, a real Postgres, KV, queues and the feed. */
import type { Link } from "@hopline/client/openapi";
import { describe, expect, it, vi } from "vitest";
import { expectStrictCap } from "../expect-strict-cap.ts";
import { createLink, POLL, stack, visit } from "./visitor-stack.ts";

const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1";

const ANDROID =
  "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36";
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";

it("the matched rule and the link's version are stored with the click", async () => {
  const link = await createLink({
    rules: [{ id: "ios", when: { os: ["iOS"] }, to: { url: "https://example.com/ios" } }],
    utm: { source: "poster" },
  });
  const response = await visit(link.slug, { headers: { "user-agent": IPHONE } });
  expect(response.headers.get("location")).toBe("https://example.com/ios?utm_source=poster");
  await vi.waitFor(async () => {
    const { rows } = await stack.database.query(
      "SELECT link_version, rule_id, destination, utm_source FROM click_events WHERE link_id = $1",
      [link.id.slice(4)],
    );
    expect(rows).toEqual([
      {
        link_version: "1",
        rule_id: "ios",
        destination: "https://example.com/ios",
        utm_source: "poster",
      },
    ]);
  }, POLL);
});

it("a social crawler is shown what the link says of itself, and counted as a preview; people are led on", async () => {
  const openGraph = {
    title: "Spring <\"&'>",
    description: "All\nof it",
    image: "https://example.com/i.png?a=1&b=2",
  };
  const link = await createLink({ openGraph });
  const crawler = await visit(link.slug, { headers: { "user-agent": "facebookexternalhit/1.1" } });
  expect([crawler.status, crawler.headers.get("location")]).toEqual([200, null]);
  const html = await crawler.text();
  expect(html).toContain('<meta property="og:title" content="Spring &lt;&quot;&amp;&#39;&gt;">');
  expect(html).toContain('<meta property="og:description" content="All\nof it">');
  expect(html).toContain('<meta property="og:image" content="https://example.com/i.png?a=1&amp;b=2">');
  const person = await visit(link.slug, { headers: { "user-agent": FIREFOX } });
  expect([person.status, person.headers.get("location")]).toEqual([302, "https://example.com/"]);
  await vi.waitFor(async () => {
    const { rows } = await stack.database.query(
      "SELECT class, count(*)::int AS clicks FROM click_events WHERE link_id = $1 GROUP BY 1 ORDER BY 1",
      [link.id.slice(4)],
    );
    expect(rows).toEqual([
      { class: "human", clicks: 1 },
      { class: "preview", clicks: 1 },
    ]);
  }, POLL);
});

it("a phone is led into the app, and everybody else to the page", async () => {
  const link = await createLink({
    rules: [
      { id: "ios", when: { os: ["iOS"] }, to: { url: "myapp://open?id=1#part" } },
      { id: "android", when: { os: ["Android"] }, to: { url: "myapp://open/android" } },
    ],
    forwardQuery: "visitor-wins",
  });
  const leads = async (userAgent: string, query = "") => {
    const response = await visit(`${link.slug}${query}`, { headers: { "user-agent": userAgent } });
    return `${response.status} ${response.headers.get("location")}`;
  };
  expect([
    await leads(IPHONE),
    await leads(IPHONE, "?id=2&a=b"),
    await leads(ANDROID),
    await leads(FIREFOX),
  ]).toEqual([
    "302 myapp://open?id=1#part",
    "302 myapp://open?id=2&a=b#part",
    "302 myapp://open/android",
    "302 https://example.com/",
  ]);
});

it("a password opens the link, and the click is counted only then", async () => {
  const link = await createLink({ password: "open sesame" });
  expect((await visit(link.slug)).status).toBe(401);
  expect((await give(link.slug, "wrong")).status).toBe(401);
  const opened = await give(link.slug, "open sesame");
  expect([opened.status, opened.headers.get("location")]).toEqual([303, "https://example.com/"]);
  const cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
  expect((await visit(link.slug, { headers: { cookie } })).status).toBe(302);
  await vi.waitFor(async () => expect(await countClicks(link)).toBe(2), POLL);
});

describe("a click cap", () => {
  it("that is strict lets exactly its number of 60 concurrent visitors pass", async () => {
    const link = await createLink({ cap: { mode: "strict", maxClicks: 10 } });
    const comeUntilAnswered = async (): Promise<readonly number[]> => {
      const { status } = await visit(link.slug);
      return status === 503 ? [status, ...(await comeUntilAnswered())] : [status];
    };
    const statuses = await Promise.all(Array.from({ length: 60 }, comeUntilAnswered));
    expectStrictCap(statuses, { maxClicks: 10, visitors: 60 });
  });

  it("that is fast ends the link once its clicks are counted; what passed meanwhile is counted too", async () => {
    const link = await createLink({ cap: { mode: "fast", maxClicks: 10 } });
    let passed = 0;
    await vi.waitFor(
      async () => {
        const { status } = await visit(link.slug);
        passed += status === 302 ? 1 : 0;
        expect(status).toBe(410);
      },
      { ...POLL, interval: 100 },
    );
    // Over-delivery is the visitors of the time that counting and telling take: here, one every 100 ms.
    expect(passed).toBeGreaterThanOrEqual(10);
    await vi.waitFor(async () => {
      const { cap } = await stack.hopline.readLink({ linkId: link.id });
      expect(cap?.used).toBe(passed);
    }, POLL);
  });
});

it("an edit of a domain's settings reaches its pages, and so does taking it back", async () => {
  const { data } = await stack.hopline.listDomains();
  for (const notFoundUrl of ["https://example.com/lost", null]) {
    await stack.hopline.updateDomain({ domainId: data[0]?.id ?? "", body: { notFoundUrl } });
    await vi.waitFor(
      async () => expect((await visit("nobody")).headers.get("location")).toBe(notFoundUrl),
      POLL,
    );
  }
});

function give(slug: string, password: string): Promise<Response> {
  return visit(slug, { method: "POST", body: new URLSearchParams({ password }) });
}

async function countClicks({ id }: Link): Promise<number> {
  const { rows } = await stack.database.query(
    "SELECT count(*)::int AS n FROM click_events WHERE link_id = $1",
    [id.slice(4)],
  );
  return rows[0]?.n ?? 0;
}
