/**
 * An afternoon at a dashboard, in the order in which its user clicks: every call is one to the API, through the client, the
 * production bundles and a real Postgres. Read it as an example of each operation.
 */
import { createClient, type HoplineClient } from "@hopline/client/client";
import type { Link } from "@hopline/client/openapi";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { POLL, stack, visit } from "./visitor-stack.ts";

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1";

let hopline: HoplineClient;
let calls = 0;
/** The links of this afternoon, by slug. */
const links = new Map<string, Link>();
const linkOf = (slug: string): Link => {
  const link = links.get(slug);
  if (link === undefined) {
    throw new Error(`Nobody has made ${slug}.`);
  }
  return link;
};
const idOf = (slug: string) => ({ linkId: linkOf(slug).id });
const slugsOf = ({ data }: { readonly data: readonly Link[] }) => data.map(({ slug }) => slug);

beforeAll(() => {
  const fetch = (request: Request) => {
    calls += 1;
    return globalThis.fetch(request);
  };
  hopline = createClient({ baseUrl: stack.url, key: stack.demo.apiKey, maxRetries: 0, fetch });
});

describe("making links", () => {
  it("starts with the domains that a link may be on", async () => {
    const { data } = await hopline.listDomains();
    expect(data.map(({ host, status }) => [host, status])).toEqual([[stack.demo.host, "active"]]);
  });

  it("says while somebody types whether a slug is free", async () => {
    expect(await hopline.checkSlug({ slug: "autumn" })).toMatchObject({ available: true });
    expect(await hopline.checkSlug({ slug: "hello" })).toMatchObject({ available: false });
  });

  it("makes one, with a title and tags", async () => {
    const body = {
      url: "https://example.com/autumn",
      slug: "autumn",
      title: "Autumn sale",
      tags: ["season", "letter"],
    };
    const link = await hopline.createLink({ body });
    links.set(link.slug, link);
    expect(link).toMatchObject({ ...body, status: "live", version: 1, clicks: { human: 0, total: 0 } });
  });

  it("says which slug is taken, and by which field it knows", async () => {
    const body = { url: "https://example.com/", slug: "autumn" };
    await expect(hopline.createLink({ body })).rejects.toMatchObject({
      code: "slug_taken",
      problem: { errors: [{ path: "slug" }] },
    });
  });

  it("pastes twenty rows from a spreadsheet", async () => {
    const items = Array.from({ length: 20 }, (_, index) => ({
      url: `https://example.com/store/${index}`,
      slug: `store-${String(index).padStart(2, "0")}`,
      title: `Store ${index}`,
      tags: ["season", "window"],
    }));
    const { created, results } = await hopline.createLinks({ body: { items, atomic: true } });
    expect(created).toBe(20);
    for (const { link } of results) {
      links.set(link?.slug ?? "", link as Link);
    }
  });

  it("imports a file, after a look at what would happen", async () => {
    const body = new Blob(["slug,url,tags\nflyer,https://example.com/flyer,season|print\n"], {
      type: "text/csv",
    });
    expect(await hopline.importLinks({ body, dryRun: true })).toMatchObject({ created: 1 });
    expect(await hopline.importLinks({ body })).toMatchObject({ created: 1, refused: 0 });
  });
});

describe("finding them", () => {
  it("shows the newest first, and the next page when somebody scrolls", async () => {
    const first = await hopline.listLinks({ tag: ["window"], limit: 15 });
    expect(slugsOf(first)[0]).toBe("store-19");
    const cursor = first.nextCursor ?? "";
    const second = await hopline.listLinks({ tag: ["window"], limit: 15, cursor });
    expect([second.data.length, second.nextCursor]).toEqual([5, null]);
  });

  it("says how many there are, before all of them are read", async () => {
    expect(await hopline.countLinks({ tag: ["season"] })).toEqual({ links: 22, isExact: true });
  });

  it("sorts by another column", async () => {
    const sorted = await hopline.listLinks({ tag: ["season"], sort: "slug", limit: 3 });
    expect(slugsOf(sorted)).toEqual(["autumn", "flyer", "store-00"]);
  });

  it("searches while somebody types", async () => {
    expect(slugsOf(await hopline.listLinks({ search: "autumn" }))).toEqual(["autumn"]);
    expect(slugsOf(await hopline.listLinks({ search: "utum" }))).toEqual(["autumn"]);
    expect(slugsOf(await hopline.listLinks({ search: "autumn nothing" }))).toEqual([]);
  });

  it("looks one up by its address, or by where it leads", async () => {
    const { host } = stack.demo;
    expect(slugsOf(await hopline.listLinks({ domain: host, slug: "autumn" }))).toEqual(["autumn"]);
    expect(slugsOf(await hopline.listLinks({ url: "https://example.com/store/7" }))).toEqual(["store-07"]);
  });

  it("offers the tags with their numbers", async () => {
    const tags = await Array.fromAsync(hopline.listTags());
    expect(tags).toEqual(
      expect.arrayContaining([
        { id: expect.stringMatching(/^tag_/), name: "season", color: null, links: 22 },
      ]),
    );
  });

  it("takes all of them for a file of one's own", async () => {
    const file = await hopline.exportLinks({ tag: ["season"], format: "csv" });
    expect((await file.text()).trim().split("\r\n")).toHaveLength(23);
  });
});

describe("changing them", () => {
  it("edits one, and sees who was faster", async () => {
    const { data: before, response } = await hopline.readLink(idOf("autumn")).withResponse();
    const headers = { "if-match": response.headers.get("etag") ?? "" };
    const body = { url: "https://example.com/winter" };
    expect(await hopline.updateLink({ ...idOf("autumn"), body }, { headers })).toMatchObject({ version: 2 });
    await expect(
      hopline.updateLink({ ...idOf("autumn"), body: { title: "Mine" } }, { headers }),
    ).rejects.toMatchObject({ code: "version_mismatch" });
    links.set("autumn", before);
  });

  it("shows the redirect at once, and when the edge has it", async () => {
    await vi.waitFor(async () => {
      expect((await visit("autumn")).headers.get("location")).toBe("https://example.com/winter");
    }, POLL);
    const status = await hopline.readCacheStatus(idOf("autumn"));
    expect(status).toMatchObject({ kv: expect.anything() });
  });

  it("takes an edit back: what GET showed is sent as it was", async () => {
    const { version: _version, updatedAt: _updatedAt, clicks: _clicks, ...shown } = linkOf("autumn");
    const undone = await hopline.updateLink({ ...idOf("autumn"), body: shown });
    expect(undone).toMatchObject({ url: "https://example.com/autumn", version: 3 });
  });

  it("renames one: its old address goes on leading there until it is released", async () => {
    await hopline.updateLink({ ...idOf("autumn"), body: { slug: "fall" } });
    expect((await hopline.listAliases(idOf("autumn"))).data).toMatchObject([{ slug: "autumn" }]);
    await hopline.deleteAlias({ ...idOf("autumn"), alias: "autumn" });
    expect(await hopline.readLink(idOf("autumn"))).toMatchObject({ slug: "fall", aliases: [] });
  });

  it("sends phones elsewhere, and asks why", async () => {
    const rules = [{ id: "phones", when: { os: ["iOS"] }, to: { url: "https://example.com/app" } }];
    await hopline.updateLink({ ...idOf("autumn"), body: { rules } });
    expect(await hopline.resolveLink({ ...idOf("autumn"), body: { os: "iOS" } })).toMatchObject({
      location: "https://example.com/app",
      ruleId: "phones",
    });
    expect(await hopline.resolveLink({ ...idOf("autumn"), body: { os: "Windows" } })).toMatchObject({
      location: "https://example.com/autumn",
      missed: [{ ruleId: "phones", unmet: [{ actual: "Windows" }] }],
    });
  });

  it("puts some into a folder, and renames it", async () => {
    const { id: folderId } = await hopline.createFolder({ body: { name: "Autumn" } });
    const items = ["autumn", "store-01"].map((slug) => ({ id: linkOf(slug).id, folder: "Autumn" }));
    expect(await hopline.updateLinks({ body: { items } })).toMatchObject({ updated: 2 });
    await hopline.updateFolder({ folderId, body: { name: "Fall" } });
    const inFolder = await hopline.listLinks({ folder: "Fall", sort: "slug" });
    expect(slugsOf(inFolder)).toEqual(["fall", "store-01"]);
  });

  it("ticks all stores, gives them a tag and takes another off", async () => {
    const { data } = await hopline.listLinks({ tag: ["window"], limit: 100 });
    const items = data.map(({ id, version }) => ({ id, version, addTags: ["door"], removeTags: ["window"] }));
    expect(await hopline.updateLinks({ body: { items } })).toMatchObject({ updated: 20 });
    // Ticked before somebody else's change: nothing of it is overwritten.
    const { updated, results } = await hopline.updateLinks({ body: { items } });
    expect([updated, new Set(results.map(({ code }) => code))]).toEqual([0, new Set(["version_mismatch"])]);
  });

  it("gives a tag a colour and its old name, on all links that have it", async () => {
    const renamed = await hopline.updateTag({ tag: "door", body: { name: "window", color: "#b8336a" } });
    expect(renamed).toMatchObject({ name: "window", color: "#b8336a", links: 20 });
    expect(await hopline.countLinks({ tag: ["window"] })).toMatchObject({ links: 20 });
  });

  it("ends one on a date, and finds the ended ones", async () => {
    const body = { expiresAt: "2026-01-01T00:00:00Z", startsAt: "2025-01-01T00:00:00Z" };
    expect(await hopline.updateLink({ ...idOf("store-00"), body })).toMatchObject({ status: "expired" });
    expect(slugsOf(await hopline.listLinks({ status: ["expired"], tag: ["season"] }))).toEqual(["store-00"]);
  });

  it("deletes two at once: their addresses are free, and they are gone from the list", async () => {
    const items = ["store-18", "store-19"].map((slug) => ({ id: linkOf(slug).id }));
    expect(await hopline.deleteLinks({ body: { items } })).toMatchObject({ deleted: 2 });
    await expect(hopline.readLink(idOf("store-19"))).rejects.toMatchObject({ code: "not_found" });
    expect(slugsOf(await hopline.listLinks({ tag: ["window"], limit: 1 }))).toEqual(["store-17"]);
  });
});

describe("showing them", () => {
  it("draws a QR code, for the screen and for print", async () => {
    const svg = await hopline.readQrCode({ ...idOf("autumn"), format: "svg" });
    expect([svg.headers.get("content-type"), (await svg.text()).slice(0, 4)]).toEqual([
      "image/svg+xml",
      "<svg",
    ]);
    const png = await hopline.readQrCode({ ...idOf("autumn"), format: "png", scale: 16 });
    expect((await png.bytes()).slice(1, 4)).toEqual(new TextEncoder().encode("PNG"));
  });

  it("charts the clicks that came meanwhile, from a phone and from a desk", async () => {
    for (const agent of [FIREFOX, FIREFOX, IPHONE]) {
      await visit("fall", { headers: { "user-agent": agent } });
    }
    const link = [linkOf("autumn").id];
    await vi.waitFor(async () => {
      expect((await hopline.readTotals({ link })).clicks).toBeGreaterThanOrEqual(3);
    }, POLL);
    const overview = await hopline.readOverview({
      link,
      period: "last7Days",
      lists: ["os", "rule"],
      facets: ["browser"],
      visitors: true,
    });
    expect(overview.series.points).toHaveLength(7);
    expect(overview.previous.clicks).toBe(0);
    expect(overview.lists[1]?.values).toEqual(
      expect.arrayContaining([expect.objectContaining({ value: "phones", clicks: 1 })]),
    );
  });

  it("filters the chart by what somebody clicks in a list", async () => {
    const link = [linkOf("autumn").id];
    const week = { interval: "day", period: "last7Days" } as const;
    const { points } = await hopline.readTimeseries({ link, os: ["iOS"], ...week });
    expect(points.map(({ clicks }) => clicks).filter((clicks) => clicks > 0)).toEqual([1]);
    const breakdown = await hopline.readBreakdown({ link, dimension: "browser" });
    expect(breakdown.values.map(({ value }) => value)).toContain("Firefox");
    const { data } = await hopline.listClicks({ link, os: ["iOS"] });
    expect(data).toHaveLength(1);
  });

  it("puts the link with the most clicks first", async () => {
    const busiest = await hopline.listLinks({ tag: ["season"], sort: "-clicks", limit: 1 });
    expect(slugsOf(busiest)).toEqual(["fall"]);
  });

  it("compares it with the period before", async () => {
    const compared = await hopline.compareWithPeriodBefore({ link: [linkOf("autumn").id] });
    expect(compared).toMatchObject({ previous: { clicks: 0 } });
  });
});

describe("handing it over", () => {
  it("gives the colleague's report a key that only reads, and ends it", async () => {
    const { id: keyId, key } = await hopline.createKey({
      body: { name: "Report", scopes: ["links:read", "analytics:read"] },
    });
    const report = createClient({ baseUrl: stack.url, key, maxRetries: 0 });
    expect(slugsOf(await report.listLinks({ tag: ["letter"] }))).toEqual(["fall"]);
    await expect(report.deleteLink(idOf("autumn"))).rejects.toMatchObject({ code: "scope_missing" });
    await hopline.revokeKey({ keyId });
    await expect(report.listLinks()).rejects.toMatchObject({ code: "key_invalid" });
  });

  it("took forty calls or more", () => {
    expect(calls).toBeGreaterThanOrEqual(40);
  });
});
