/**
 * Links that think, in workerd: rules, limits, passwords, domains. The database is played by a stand-in for the driver's
 * fetch; time is the injected clock of `Date.now`.
 */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { type DomainRecord, encodeDomainRecord } from "@hopline/core/link/domain-record";
import type { LinkRecord } from "@hopline/core/link/link-record";
import { hashPassword } from "@hopline/sealing/password";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import worker from "../../src/index.ts";
import { aFakeNeon, aRecordText } from "../fake-neon.ts";

const NOW_MS = 1_795_000_000_000;
const DAY_MS = 24 * 60 * 60 * 1_000;
const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1";
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";

const realSetTimeout = globalThis.setTimeout;
let made = 0;
const neon = aFakeNeon();
let nowMs = NOW_MS;
const sent: string[] = [];

beforeAll(async () => {
  vi.spyOn(globalThis, "fetch").mockImplementation(neon.answer);
  // The isolate keeps the clock that it meets first. It ticks, or no second statement would ever start.
  vi.spyOn(Date, "now").mockImplementation(() => (nowMs += 1));
  // The first statement loads the driver, which may take longer on a busy machine than a statement may.
  const slug = store({});
  let response = await visit(slug);
  while (response.status !== 302) {
    response = await visit(slug);
  }
});

beforeEach(() => {
  neon.records.clear();
  neon.hasEveryDomain = false;
  neon.instead = null;
  neon.claims = 0;
  sent.length = 0;
  // Each test a day later: what an earlier one left in the isolate is of no account.
  nowMs += DAY_MS;
  vi.spyOn(Date, "now").mockImplementation(() => nowMs);
  // The wait for the next statement ends at once, and takes its time on the injected clock.
  vi.spyOn(globalThis, "setTimeout").mockImplementation((fire: () => void, ms = 0) => {
    // So do the seconds after which an isolate gives back uses of a cap, without time going by.
    if (ms > 75 && ms !== 1_000) {
      return realSetTimeout(fire, ms);
    }
    nowMs += ms === 1_000 ? 0 : ms;
    queueMicrotask(fire);
    return realSetTimeout(() => undefined, 0);
  });
  vi.spyOn(globalThis, "fetch").mockImplementation(neon.answer);
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe("rules", () => {
  const rules = [
    { id: "apple", when: { os: ["iOS"] }, to: { url: "https://example.com/ios" } },
    { id: "swiss", when: { country: ["CH"] }, to: { url: "https://example.com/ch" } },
    { id: "no-bots", when: { visitor: "bot" }, to: { block: true } },
  ] as const;

  it.each([
    ["the first that matches", IPHONE, "CH", 302, "https://example.com/ios"],
    ["a later one", FIREFOX, "CH", 302, "https://example.com/ch"],
    ["none", FIREFOX, "DE", 302, "https://example.com/"],
    ["one that blocks", "curl/8.0", "DE", 403, null],
  ])("lead where %s says", async (_what, userAgent, country, status, location) => {
    const slug = store({ rules });
    const response = await visit(slug, { headers: { "user-agent": userAgent }, cf: { country } });
    expect([response.status, response.headers.get("location")]).toEqual([status, location]);
  });

  it("ask for a city, and know none of a visitor who asked not to be followed: the click names the rule", async () => {
    const to = { url: "https://example.com/zurich" };
    const slug = store({ rules: [{ id: "zurich", when: { country: ["CH"], city: ["zurich"] }, to }] });
    const cf = { country: "CH", city: "Zürich" };
    const ask = async (headers: Record<string, string> = {}, place = cf) =>
      (await visit(slug, { headers: { "user-agent": FIREFOX, ...headers }, cf: place })).headers.get(
        "location",
      );
    expect(await ask()).toBe(to.url);
    expect(await ask({}, { country: "CH", city: "Bern" })).toBe("https://example.com/");
    expect(await ask({ "sec-gpc": "1" })).toBe("https://example.com/");
    expect(await ask({ dnt: "1" })).toBe("https://example.com/");
    expect(sentClicks().map(({ ri }) => ri)).toEqual(["zurich", undefined, undefined, undefined]);
  });

  it.each([
    "myapp://open?id=1#part",
    "spotify:track:4uLU6hMCjMI75M1A2tKUQC",
    "market://details?id=com.example",
  ])("lead into an app: 302 to %s, byte for byte, and the click says so", async (url) => {
    const slug = store({
      rules: [{ id: "phone", when: { os: ["iOS"] }, to: { url } }],
      url: "https://example.com/",
    });
    const response = await visit(slug, { headers: { "user-agent": IPHONE } });
    expect([response.status, response.headers.get("location")]).toEqual([302, url]);
    expect(sentClicks()[0]).toMatchObject({ ri: "phone", d: url });
  });

  it("that matched, and the link's version, are stored with the click", async () => {
    const slug = store({ rules, version: 7 });
    await visit(slug, { headers: { "user-agent": IPHONE } });
    await visit(slug, { headers: { "user-agent": "curl/8.0" } });
    const clicks = sentClicks();
    expect(clicks).toHaveLength(1);
    expect(clicks[0]).toMatchObject({ v: 7, ri: "apple", d: "https://example.com/ios" });
  });

  it("no rule, no user-agent inspection", async () => {
    const request = new Request(`https://go.example.com/${store({})}`);
    const asked: string[] = [];
    const read = request.headers.get.bind(request.headers);
    vi.spyOn(Headers.prototype, "get").mockImplementation((name) => {
      asked.push(name);
      return read(name);
    });
    const test = vi.spyOn(RegExp.prototype, "test");
    await send(request);
    // Once, for the click; and no pattern is tried on it.
    expect(asked.filter((name) => name === "user-agent")).toHaveLength(1);
    expect(test.mock.instances.filter((pattern) => String(pattern).includes("facebook"))).toEqual([]);
  });
});

describe("a split", () => {
  const split = [
    { id: "a", url: "https://example.com/a", weight: 1 },
    { id: "b", url: "https://example.com/b", weight: 1 },
  ];

  it("sends a visitor without a cookie to the same variant each time, and different visitors to both", async () => {
    const slug = store({ split });
    const drawn = new Set<string | null>();
    for (let network = 0; network < 20; network += 1) {
      const headers = { "user-agent": FIREFOX, "cf-connecting-ip": `203.0.${network}.7` };
      const first = await visit(slug, { headers });
      const again = await visit(slug, { headers: { ...headers, "cf-connecting-ip": `203.0.${network}.8` } });
      expect(first.headers.get("location")).toBe(again.headers.get("location"));
      expect(first.headers.get("set-cookie")).toBeNull();
      drawn.add(first.headers.get("location"));
    }
    expect(drawn.size).toBe(2);
    expect(new Set(sentClicks().map(({ va }) => va))).toEqual(new Set(["a", "b"]));
  });
});

describe("the clock", () => {
  it("expires a link to the second, on a cached entry too", async () => {
    const expiresAtMs = nowMs + 20_000;
    const slug = store({ expiresAtMs });
    expect((await visit(slug)).status).toBe(302);
    nowMs = expiresAtMs - 1;
    const last = await visit(slug);
    nowMs += 1;
    const over = await visit(slug);
    expect([last.status, tierOf(last)]).toEqual([302, "isolate"]);
    expect([over.status, tierOf(over)]).toEqual([410, "isolate"]);
  });

  it("starts a link to the second: before, it is as unknown as any other", async () => {
    const slug = store({ startsAtMs: nowMs + 10_000 });
    expect((await visit(slug)).status).toBe(404);
    nowMs += 10_000;
    const response = await visit(slug);
    expect([response.status, tierOf(response)]).toEqual([302, "isolate"]);
  });

  it("switches over in the second that the record names, without any publish", async () => {
    const slug = store({ next: { url: "https://example.com/next", activateAtMs: nowMs + 10_000 } });
    expect((await visit(slug)).headers.get("location")).toBe("https://example.com/");
    nowMs += 10_000;
    const response = await visit(slug);
    expect([response.headers.get("location"), tierOf(response)]).toEqual([
      "https://example.com/next",
      "isolate",
    ]);
  });

  it("lets no browser keep a permanent redirect that may end", async () => {
    const response = await visit(store({ redirectStatus: 301, expiresAtMs: nowMs + 10_000 }));
    expect(response.headers.get("cache-control")).toBe("private, no-store");
  });
});

describe("an ended link", () => {
  it("leads to its own fallback, and that is no click", async () => {
    const response = await visit(store({ expiresAtMs: nowMs, endedUrl: "https://example.com/over" }));
    expect([response.status, response.headers.get("location")]).toEqual([302, "https://example.com/over"]);
    expect(sent).toEqual([]);
  });

  it("else leads to its domain's, else says that it has ended", async () => {
    const host = storeDomain({ endedUrl: "https://example.com/closed" });
    const response = await visit(store({ state: "disabled" }, host), { host });
    expect([response.status, response.headers.get("location")]).toEqual([302, "https://example.com/closed"]);
    expect((await visit(store({ cap: { mode: "fast", isUsedUp: true } }))).status).toBe(410);
  });
});

describe("the query", () => {
  it.each([
    ["visitor-wins", "https://example.com/?a=2&b=3#f"],
    ["link-wins", "https://example.com/?a=1&b=3#f"],
    [undefined, "https://example.com/?a=1#f"],
  ] as const)("is forwarded: %s", async (forward, location) => {
    const slug = store({ url: "https://example.com/?a=1#f", forward });
    const response = await visit(`${slug}?a=2&b=3&source=qr`);
    expect(response.headers.get("location")).toBe(location);
  });

  it("gets the link's UTM parameters, and nothing is encoded twice", async () => {
    const slug = store({ url: "https://example.com/?q=a%20b", utmQuery: "utm_source=poster%20one" });
    const response = await visit(slug);
    expect(response.headers.get("location")).toBe("https://example.com/?q=a%20b&utm_source=poster%20one");
    expect(sentClicks()[0]).toMatchObject({ us: "poster one" });
  });
});

describe("Open Graph", () => {
  const openGraph = { title: "Spring <\"&'>", description: "All of it", image: "https://example.com/i.png" };

  it("social crawlers get that page, people the redirect", async () => {
    const slug = store({ openGraph });
    const crawler = await visit(slug, { headers: { "user-agent": "facebookexternalhit/1.1" } });
    const person = await visit(slug, { headers: { "user-agent": FIREFOX } });
    const html = await crawler.text();
    expect([crawler.status, person.status]).toEqual([200, 302]);
    expect(html).toContain('<meta property="og:title" content="Spring &lt;&quot;&amp;&#39;&gt;">');
    expect(html).toContain('<meta property="og:image" content="https://example.com/i.png">');
    // Both are counted; the consumer knows the crawler for a preview.
    expect(sentClicks()).toHaveLength(2);
  });
});

describe("a password", () => {
  it("is asked for with a form, and the redirect comes only after it", async () => {
    const slug = store({ password: await hashPassword("Zürich") });
    const asked = await visit(slug);
    expect([asked.status, sent.length]).toEqual([401, 0]);
    expect(await asked.text()).toContain('<form method="post">');

    const wrong = await give(slug, "zürich");
    expect([wrong.status, wrong.headers.get("location"), sent.length]).toEqual([401, null, 0]);
    expect(wrong.headers.get("set-cookie")).toBeNull();

    const right = await give(slug, "Zürich");
    expect([right.status, right.headers.get("location"), sent.length]).toEqual([
      303,
      "https://example.com/",
      1,
    ]);
    expect(right.headers.get("set-cookie")).toMatch(
      /^hop_\w{32}=\d+\.[\w-]{43}; Max-Age=900; Path=\/link-\d+; HttpOnly; SameSite=Lax; Secure$/,
    );
  });

  it("is remembered for fifteen minutes, for this link in this version only", async () => {
    const password = await hashPassword("open");
    const slug = store({ password });
    const cookie = cookieOf(await give(slug, "open"));
    expect((await visit(slug, { headers: { cookie } })).status).toBe(302);
    // Cookies count in whole seconds.
    nowMs += 15 * 60_000 - 1 - (nowMs % 1_000);
    expect((await visit(slug, { headers: { cookie } })).status).toBe(302);
    nowMs += 1;
    expect((await visit(slug, { headers: { cookie } })).status).toBe(401);

    const fresh = cookieOf(await give(slug, "open"));
    const edited = store({ password, version: 2 });
    expect((await visit(edited, { headers: { cookie: fresh } })).status).toBe(401);
    const other = store({ password, linkId: "0198f3c2-a1b2-7c3d-8e4f-5a6b7c8d9eff" });
    const renamed = fresh.replace("9e0f=", "9eff=");
    expect((await visit(other, { headers: { cookie: renamed } })).status).toBe(401);
    expect((await visit(slug, { headers: { cookie: fresh.replace(/\d+\./, "99999999999.") } })).status).toBe(
      401,
    );
  });

  it("can be tried ten times a minute by a visitor, the right one included", async () => {
    const slug = store({ linkId: crypto.randomUUID(), password: await hashPassword("open") });
    const statuses: number[] = [];
    const PASSWORD_LIMIT = limitOf(10);
    for (let attempt = 0; attempt < 11; attempt += 1) {
      statuses.push((await give(slug, "guess", "198.51.100.7", { PASSWORD_LIMIT })).status);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429]);
    expect((await give(slug, "open", "198.51.100.9", { PASSWORD_LIMIT })).status).toBe(429);
    expect((await give(slug, "open", "192.0.2.9", { PASSWORD_LIMIT })).status).toBe(303);
  });

  /** As Cloudflare's, without the clock's minutes, one of which may end in the middle of a test. */
  const limitOf = (most: number) => {
    const counts = new Map<string, number>();
    return {
      async limit({ key }: { readonly key: string }) {
        counts.set(key, (counts.get(key) ?? 0) + 1);
        return { success: (counts.get(key) ?? 0) <= most };
      },
    };
  };
  const openLocked = async () => {
    const slug = store({ linkId: crypto.randomUUID(), password: await hashPassword("open") });
    const limits = {
      PASSWORD_LIMIT: limitOf(10),
      PASSWORD_LINK_LIMIT: limitOf(3),
      PASSWORD_BEYOND_LIMIT: limitOf(1),
    };
    const attempt = async (password: string, network: number) =>
      give(slug, password, `198.51.${network}.1`, limits);
    const guess = async (network: number) => (await attempt("guess", network)).status;
    return { slug, attempt, guess };
  };

  it("guessed from many networks has a ceiling for the link, and a few networks can't lock others out", async () => {
    const { attempt, guess } = await openLocked();
    expect([await guess(1), await guess(1), await guess(2), await guess(2)]).toEqual([401, 401, 401, 401]);
    // Above the link's ceiling, a network has one try more.
    expect([await guess(1), await guess(1), await guess(1)]).toEqual([401, 429, 429]);
    expect((await attempt("open", 3)).status).toBe(303);
    // And of those tries too many may not be wrong either, whatever the number of networks.
    expect([await guess(4), await guess(5), await guess(6), await guess(7)]).toEqual([401, 401, 401, 429]);
    expect((await attempt("open", 8)).status).toBe(429);
    // It ends with the attack.
    nowMs += 60_000;
    expect((await attempt("open", 9)).status).toBe(303);
  });

  it("under attack is not asked of a visitor who has unlocked the link", async () => {
    const { slug, attempt, guess } = await openLocked();
    const cookie = cookieOf(await attempt("open", 1));
    for (let network = 0; network < 12; network += 1) {
      await guess(network);
    }
    expect((await attempt("open", 20)).status).toBe(429);
    expect((await visit(slug, { headers: { cookie } })).status).toBe(302);
    const body = new URLSearchParams({ password: "open" });
    const again = new Request(`https://go.example.com/${slug}`, {
      method: "POST",
      body,
      headers: { cookie },
    });
    expect((await send(again, { PASSWORD_LIMIT: limitOf(0) })).status).toBe(303);
  });

  it("that a crowd knows never brings the link to its ceiling", async () => {
    const { attempt } = await openLocked();
    for (let network = 0; network < 8; network += 1) {
      expect((await attempt("open", network)).status).toBe(303);
    }
  });

  it("is not tried at all while tries can't be counted", async () => {
    const slug = store({ password: await hashPassword("open") });
    const failing = { limit: () => Promise.reject(new Error("unreachable")) };
    for (const binding of ["PASSWORD_LIMIT", "PASSWORD_LINK_LIMIT"]) {
      const response = await give(slug, "guess", "192.0.2.1", { [binding]: failing });
      expect([response.status, sent.length]).toEqual([503, 0]);
    }
  });

  it("of an enormous form is no password", async () => {
    const slug = store({ password: await hashPassword("open") });
    expect((await give(slug, "x".repeat(100_000), "192.0.2.77")).status).toBe(401);
  });

  it("given to a link that has none is not accepted", async () => {
    const response = await give(store({}), "open");
    expect([response.status, sent.length]).toEqual([405, 0]);
  });
});

describe("a strict cap", () => {
  const cap = { mode: "strict", isUsedUp: false } as const;

  it("asks the database before each redirect, and ends the link when nothing is left", async () => {
    const slug = store({ cap, linkId: crypto.randomUUID() });
    neon.usesLeft = 2;
    const statuses = [];
    for (let use = 0; use < 4; use += 1) {
      statuses.push((await visit(slug)).status);
    }
    expect(statuses).toEqual([302, 302, 410, 410]);
    expect(sent).toHaveLength(2);
  });

  it("that is used up costs no statement a visit: the refusal is remembered until the version changes", async () => {
    const linkId = crypto.randomUUID();
    const slug = store({ cap, linkId });
    neon.usesLeft = 0;
    for (let visits = 0; visits < 20; visits += 1) {
      expect((await visit(slug)).status).toBe(410);
    }
    expect(neon.claims).toBe(1);
    const edited = store({ cap, linkId, version: 2 });
    neon.usesLeft = 1;
    expect((await visit(edited)).status).toBe(302);
  });

  it("fails closed", async () => {
    const slug = store({ cap, linkId: crypto.randomUUID() });
    neon.usesLeft = 1;
    await visit(slug);
    // It tries again for half a second, on a clock that the long waits do not move.
    vi.spyOn(Date, "now").mockImplementation(() => (nowMs += 50));
    neon.instead = refuse;
    const response = await visit(slug);
    expect([response.status, response.headers.get("retry-after"), sent.length]).toEqual([503, "5", 1]);
  });
});

describe("a program that only looks at a link with rules or a cap", () => {
  const rules = [{ id: "r", when: { visitor: "bot" }, to: { block: true } }] as const;
  const openGraph = { title: "Spring" };
  const cap = { mode: "strict", isUsedUp: false } as const;
  const secret = "https://example.com/secret";

  it.each<[string, Partial<LinkRecord>]>([
    ["a strict cap", { cap }],
    ["a fast cap", { cap: { mode: "fast", isUsedUp: false } }],
    ["rules", { rules: [{ id: "r", when: { country: ["CH"] }, to: { url: secret } }] }],
  ])(
    "takes no use of it and sees no destination, with %s: HEAD, prefetch, social networks",
    async (_what, change) => {
      const slug = store({ ...change, openGraph, url: secret, linkId: crypto.randomUUID() });
      neon.usesLeft = 1;
      const head = await send(new Request(`https://go.example.com/${slug}`, { method: "HEAD" }));
      expect([head.status, head.headers.get("location")]).toEqual([200, null]);

      const prefetch = await visit(slug, { headers: { "sec-purpose": "prefetch;prerender" } });
      expect([prefetch.status, prefetch.headers.get("location")]).toEqual([503, null]);
      expect(prefetch.headers.get("cache-control")).toBe("private, no-store");

      const crawler = await visit(slug, { headers: { "user-agent": "facebookexternalhit/1.1" } });
      const html = await crawler.text();
      expect([crawler.status, crawler.headers.get("location")]).toEqual([200, null]);
      expect(html).toContain('<meta property="og:title" content="Spring">');
      expect(html).not.toContain("secret");

      expect([sent.length, neon.claims]).toEqual([0, 0]);
      expect((await visit(slug, { headers: { "user-agent": FIREFOX } })).status).toBe(302);
      expect(sent).toHaveLength(1);
    },
  );

  it("does not get past a rule that blocks it by calling itself a social network", async () => {
    const slug = store({ rules, openGraph, url: secret });
    const response = await visit(slug, { headers: { "user-agent": "facebookexternalhit/1.1" } });
    expect([response.status, (await response.text()).includes("secret")]).toEqual([403, false]);
  });
});

describe("domains", () => {
  it("the same slug on two domains are two links", async () => {
    const [one, two] = [storeDomain({}), storeDomain({})];
    const slug = store({ url: "https://example.com/one" }, one);
    neon.records.set(`${two}/${slug}`, aRecordText({ url: "https://example.com/two" }));
    const answers = [await visit(slug, { host: one }), await visit(slug, { host: two })];
    expect(answers.map((response) => response.headers.get("location"))).toEqual([
      "https://example.com/one",
      "https://example.com/two",
    ]);
  });

  it("an unknown host is answered with 404, never with another domain's link", async () => {
    const host = storeDomain({
      notFoundUrl: "https://example.com/lost",
      rootUrl: "https://example.com/root",
    });
    const slug = store({}, host);
    expect((await visit(slug, { host })).status).toBe(302);
    expect((await visit(slug, { host: "stranger.example.com" })).status).toBe(404);
    expect((await visit("", { host: "stranger.example.com" })).status).toBe(404);
  });

  it("answer their root and unknown links with their own addresses", async () => {
    const host = storeDomain({
      notFoundUrl: "https://example.com/lost",
      rootUrl: "https://example.com/root",
    });
    const answers = [
      await visit("", { host }),
      await visit("nobody", { host }),
      await visit("a/b", { host }),
    ];
    expect(answers.map((response) => response.headers.get("location"))).toEqual([
      "https://example.com/root",
      "https://example.com/lost",
      "https://example.com/lost",
    ]);
    expect(sent).toEqual([]);
  });

  it("put their title and link on the pages, as text", async () => {
    const host = storeDomain({ title: "<b>Ex & Co</b>", homeUrl: "https://example.com/?a=1&b=2" });
    const html = await (await visit("nobody", { host })).text();
    expect(html).toContain('<a href="https://example.com/?a=1&amp;b=2">&lt;b&gt;Ex &amp; Co&lt;/b&gt;</a>');
    expect(html).toContain("<title>No such link - &lt;b&gt;Ex &amp; Co&lt;/b&gt;</title>");
  });

  it("that ignore case find a slug in any, the others only as it is written", async () => {
    const relaxed = storeDomain({ ignoresCase: true });
    const strict = storeDomain({});
    for (const host of [relaxed, strict]) {
      neon.records.set(`${host}/grüße`, aRecordText({}));
    }
    expect((await visit("GRÜßE", { host: relaxed })).status).toBe(302);
    expect((await visit("grüße", { host: relaxed })).status).toBe(302);
    expect((await visit("GRÜßE", { host: strict })).status).toBe(404);
    expect((await visit("grüße", { host: strict })).status).toBe(302);
  });

  it("whose settings can't be had are no domains without settings: 503 at the root and for capitals, never 404", async () => {
    const host = storeDomain({ rootUrl: "https://example.com/root", ignoresCase: true });
    store({}, host);
    neon.instead = refuse;
    expect((await visit("", { host })).status).toBe(503);
    expect((await visit("Spring", { host })).status).toBe(503);
  });

  it("whose settings can't be had do not lead to another spelling's link: /Spring and /spring may be two", async () => {
    const host = storeDomain({});
    neon.records.set(`${host}/spring`, aRecordText());
    expect((await visit("spring", { host })).status).toBe(302);
    neon.instead = refuse;
    expect((await visit("Spring", { host })).status).toBe(503);
  });

  it("whose settings can't be had answer for an ended link with a page: that it has ended is true all the same", async () => {
    const host = storeDomain({ endedUrl: "https://example.com/closed" });
    const slug = store({ state: "disabled" }, host);
    await env.LINKS.put(`${host}/${slug}`, neon.records.get(`${host}/${slug}`) ?? "");
    neon.instead = refuse;
    expect((await visit(slug, { host })).status).toBe(410);
  });

  it("give links without a redirect status of their own theirs, as it is now", async () => {
    const host = storeDomain({ redirectStatus: 308 });
    const following = store({ followsDomain: true, redirectStatus: 302 }, host);
    const own = store({ redirectStatus: 307 }, host);
    // Of a domain that KV does not know, the first visitor gets the status that the record has.
    expect((await visit(following, { host })).status).toBe(302);
    expect((await visit(following, { host })).status).toBe(308);
    expect((await visit(own, { host })).status).toBe(307);
    const cold = storeDomain({});
    const record = encodeDomainRecord({
      domainId: crypto.randomUUID(),
      version: 2,
      ignoresCase: false,
      redirectStatus: 301,
    });
    await env.LINKS.put(`${cold}/@`, record);
    const first = store({ followsDomain: true }, cold);
    await env.LINKS.put(`${cold}/${first}`, neon.records.get(`${cold}/${first}`) ?? "");
    expect((await visit(first, { host: cold })).status).toBe(301);
  });

  it("that were deleted lead nowhere, whatever KV and the database still say of their links", async () => {
    const host = storeDomain({});
    await env.LINKS.put(`${host}/@`, aRecordText({ state: "deleted", url: "", version: 7 }));
    const slug = store({}, host);
    await env.LINKS.put(`${host}/${slug}`, aRecordText());
    for (let times = 0; times < 3; times += 1) {
      expect((await visit(slug, { host })).status).toBe(404);
    }
    // The tombstone is no longer fresh, the link is.
    nowMs += 15_000;
    expect((await visit(slug, { host })).status).toBe(404);
  });

  it("that are suspended say so on each of their paths, without their owner's name or addresses", async () => {
    const host = storeDomain({});
    const record = encodeDomainRecord({
      domainId: crypto.randomUUID(),
      version: 7,
      ignoresCase: false,
      isSuspended: true,
      title: "Owner",
      rootUrl: "https://owner.example/",
      notFoundUrl: "https://owner.example/",
    });
    await env.LINKS.put(`${host}/@`, record);
    const slug = store({}, host);
    await env.LINKS.put(`${host}/${slug}`, aRecordText());
    for (const path of [slug, slug, "", "nobody", "a/b"]) {
      const response = await visit(path, { host });
      expect([path, response.status, response.headers.get("location")]).toEqual([path, 403, null]);
      expect(await response.text()).not.toMatch(/owner/i);
    }
    expect(sent).toEqual([]);
  });

  it("that hang do not delay a mixed-case link that KV knows", async () => {
    const host = storeDomain({});
    await env.LINKS.put(`${host}/aB3dE`, aRecordText());
    const asked: string[] = [];
    neon.instead = (keys) => {
      asked.push(...keys);
      return new Promise(() => undefined);
    };
    // Behind the answer, where it ends after a moment.
    const request = new Request(`https://${host}/aB3dE`, { headers: { "hopline-debug": "1" } });
    const response = await send(request, { DATABASE_TIMEOUT_MS: "100" });
    // What hangs is asked for the domain.
    expect([response.status, tierOf(response), new Set(asked)]).toEqual([302, "kv", new Set([`${host}/@`])]);
  });

  it("are asked for by a mixed-case link that KV does not know, once for many links", async () => {
    const host = storeDomain({});
    for (const slug of ["aB1", "aB2", "aB3"]) {
      neon.records.set(`${host}/${slug}`, aRecordText());
    }
    const asked: string[] = [];
    vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => {
      asked.push(String(JSON.parse(String(init?.body)).params));
      return neon.answer(input, init);
    });
    for (const slug of ["aB1", "aB2", "aB3"]) {
      expect((await visit(slug, { host })).status).toBe(302);
      nowMs += 100;
    }
    // Its own, and with each of them whether it has ended.
    expect(asked.filter((params) => params.includes("@") && !params.includes("aB"))).toHaveLength(1);
    expect(asked).toHaveLength(4);
  });
});

it("pages load nothing and can be framed by nobody", async () => {
  const response = await visit("nobody-here");
  const html = await response.text();
  expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(html).not.toMatch(/<script|<link|<img|url\(|@import/);
  expect(html).toContain('<html lang="en">');
});

type VisitOptions = {
  readonly host?: string;
  readonly headers?: Record<string, string>;
  readonly cf?: { readonly country: string; readonly city?: string };
};

function visit(
  slug: string,
  { host = "go.example.com", headers = {}, cf }: VisitOptions = {},
): Promise<Response> {
  const init = { headers: { "hopline-debug": "1", ...headers }, ...(cf === undefined ? {} : { cf }) };
  return send(new Request(`https://${host}/${slug}`, init));
}

function give(
  slug: string,
  password: string,
  address = "203.0.113.7",
  change: object = {},
): Promise<Response> {
  const body = new URLSearchParams({ password });
  const headers = { "cf-connecting-ip": address };
  return send(new Request(`https://go.example.com/${slug}`, { method: "POST", body, headers }), change);
}

async function send(request: Request, change: object = {}): Promise<Response> {
  const context = createExecutionContext();
  const incoming = new Request<unknown, IncomingRequestCfProperties>(request);
  // Reports for the metrics that travel alone, because these tests are days apart, are no clicks.
  const shard = { send: (text: string) => void (JSON.parse(text).clicks.length > 0 && sent.push(text)) };
  const shards: object = { CLICKS_0: shard, CLICKS_1: shard, CLICKS_2: shard, CLICKS_3: shard };
  const settings: object = { CLICK_LINGER_MS: "0", CHANGE_FEED_MODE: "off" };
  const response = await worker.fetch(
    incoming,
    { ...env, ...Object.assign(settings, shards, change) },
    context,
  );
  await waitOnExecutionContext(context);
  return response;
}

function sentClicks(): readonly { readonly [field: string]: unknown }[] {
  return sent.flatMap((text) => JSON.parse(text).clicks);
}

function tierOf(response: Response): string | null {
  return response.headers.get("server-timing");
}

function cookieOf(response: Response): string {
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
}

function store(change: Partial<LinkRecord>, host = "go.example.com"): string {
  made += 1;
  neon.records.set(`${host}/link-${made}`, aRecordText(change));
  return `link-${made}`;
}

/** A new domain with these settings. */
function storeDomain(change: Partial<DomainRecord>): string {
  made += 1;
  const host = `d${made}.example.com`;
  const record = { domainId: crypto.randomUUID(), version: 1, ignoresCase: false, ...change };
  neon.records.set(`${host}/@`, encodeDomainRecord(record));
  return host;
}

const refuse = (): Promise<never> => Promise.reject(new TypeError("connection refused"));
