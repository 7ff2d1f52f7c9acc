/** The main job, end to end: production bundles, a real Postgres, a visitor at one end, the row at the other. */
import { encode } from "uqr";
import { describe, expect, it, vi } from "vitest";
import { visitIsolate } from "../visit-isolate.ts";
import { createLink, POLL, stack, visit } from "./visitor-stack.ts";

describe("a click", () => {
  it("is redirected at one end and one row at the other, with the time of the visit", async () => {
    const link = await createLink({ url: "https://example.com/spring?a=b#c" });
    const beforeMs = Date.now();
    const response = await visit(link.slug, {
      headers: {
        "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
        "cf-connecting-ip": "203.0.113.77",
      },
    });
    const afterMs = Date.now();
    expect([response.status, response.headers.get("location")]).toEqual([
      302,
      "https://example.com/spring?a=b#c",
    ]);

    const rows = await waitForRows(link.id, 1);
    expect(rows[0]).toMatchObject({ link_version: "1", source: "link", country: "DE", city: "Berlin" });
    expect(Number(rows[0]?.clicked_at)).toBeGreaterThanOrEqual(beforeMs);
    expect(Number(rows[0]?.clicked_at)).toBeLessThanOrEqual(afterMs);
    expect(JSON.stringify(rows)).not.toContain("203.0.113");
    expect((await stack.hopline.readLink({ linkId: link.id })).clicks.total).toBe(1);
  });

  it("is known by where it led, before and after its link was edited", async () => {
    const [before, after] = ["https://example.com/before", "https://example.com/after"];
    const link = await createLink({ url: before });
    const visitNow = async () => (await visit(link.slug)).headers.get("location");
    expect(await visitNow()).toBe(before);
    await stack.hopline.updateLink({ linkId: link.id, body: { url: after } });
    await vi.waitFor(async () => expect(await visitNow()).toBe(after), POLL);
    await vi.waitFor(async () => {
      const question = { dimension: "destination" as const, link: [link.id], class: ["all"] };
      const { values } = await stack.hopline.readBreakdown(question);
      expect(values.map(({ value }) => value).toSorted()).toEqual([after, before]);
    }, POLL);
  });

  it("of a QR code is counted as one", async () => {
    const link = await createLink({ url: "https://example.com/poster" });
    const scanned = `${link.shortUrl}?source=qr`;
    expect(await readQrModules(link.id)).toEqual(encode(scanned, { ecc: "M", border: 4 }).data);
    const { pathname, search } = new URL(scanned);
    const response = await visit(pathname.slice(1) + search);
    expect(response.headers.get("location")).toBe("https://example.com/poster");
    expect((await waitForRows(link.id, 1))[0]?.source).toBe("qr");
  });
});

describe("a visit to what is not there", () => {
  it("is answered with a 404, and counted by what was asked for", async () => {
    expect([(await visit("sumer")).status, (await visit("sumer")).status]).toEqual([404, 404]);
    const [domain] = (await stack.hopline.listDomains()).data;
    const link = await createLink();
    await vi.waitFor(
      async () => {
        // Its click takes the report along.
        await visit(link.slug);
        const { slugs } = await stack.hopline.readMissedVisits({ domainId: domain?.id ?? "" });
        expect(slugs.find(({ slug }) => slug === "sumer")).toMatchObject({ visits: 2, linkId: null });
      },
      { ...POLL, interval: 500 },
    );
  });
});

describe("an outage", () => {
  it("keeps known links redirecting and answers 503 for unknown ones", async () => {
    const known = await createLink({ url: "https://example.com/known" });
    expect((await visit(known.slug)).status).toBe(302);
    stack.sqlEndpoint.setFault(() => ({ kind: "reset" }));
    const answers = [await visit(known.slug), await visit("never-seen-before")];
    stack.sqlEndpoint.setFault(null);
    expect(answers.map(({ status }) => status)).toEqual([302, 503]);
    expect(answers[1]?.headers.get("retry-after")).toBe("5");
    expect((await visit("never-seen-before")).status).toBe(404);
  });
});

describe("nonsense", () => {
  it.each([
    ["a malformed escape", "GET", "/abc%", 404],
    ["bytes that are not valid text", "GET", "/%ff%fe%00", 404],
    ["a path of 10 KB", "GET", `/${"a".repeat(10_000)}`, 404],
    ["a path of 10 KB of escapes", "GET", `/${"%41".repeat(3_400)}`, 404],
    ["a POST to a link", "POST", "/hello", 405],
    ["an unknown method", "PROPFIND", "/hello", 405],
    ["an API route that is none", "GET", "/api/v2/links", 404],
    ["the API without a key", "GET", "/api/v1/links/lnk_1", 401],
  ])("such as %s has a clear answer", async (_what, method, path, status) => {
    expect(await sendRaw(method, path)).toBe(status);
  });

  it("such as a visitor without user agent and without cf object is counted like any other", async () => {
    const link = await createLink({ url: "https://example.com/bare" });
    const status = await sendRaw("GET", `/${link.slug}`, stack.runtime.producerUrl);
    expect(status).toBe(302);
    expect((await waitForRows(link.id, 1))[0]).toMatchObject({ source: "link" });
  });
});

/** The code's modules, true for a dark one, as its image draws them: two codes alike hold the same text. */
async function readQrModules(linkId: string): Promise<readonly (readonly boolean[])[]> {
  const image = await (await stack.hopline.readQrCode({ linkId, scale: 1 })).text();
  const size = Number(/width="(\d+)"/.exec(image)?.[1]);
  const dark = new Set(Array.from(image.matchAll(/M(\d+) (\d+)h1v1h-1z/g), ([, x, y]) => `${x} ${y}`));
  return Array.from({ length: size }, (_row, y) =>
    Array.from({ length: size }, (_module, x) => dark.has(`${x} ${y}`)),
  );
}

/** Under the demo domain's host; resolves to the status. */
async function sendRaw(method: string, path: string, origin = stack.url): Promise<number> {
  return (await visitIsolate({ origin, host: stack.demo.host, method, path })).status;
}

type ClickEvent = { readonly event_id: string; readonly clicked_at: Date; readonly source: string };

async function findRows(linkId: string): Promise<readonly ClickEvent[]> {
  const result = await stack.database.query<ClickEvent>("SELECT * FROM click_events WHERE link_id = $1", [
    linkId.slice(4),
  ]);
  return result.rows;
}

async function waitForRows(linkId: string, count: number): Promise<readonly ClickEvent[]> {
  return vi.waitFor(async () => {
    const rows = await findRows(linkId);
    expect(rows).toHaveLength(count);
    return rows;
  }, POLL);
}
