/** Rules and limits: how they are written, published and refused. */
import { describe, expect, it } from "vitest";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";

const { stage, key } = await openKeyedStage("links:read", "links:write", "admin");

const RULES = [
  { id: "ios", when: { os: ["ios"], country: ["de"] }, to: { url: "https://example.com/ios" } },
  {
    id: "night",
    when: { time: { zone: "Europe/Berlin", days: ["sat"], start: "22:00", end: "06:00" } },
    to: { split: [{ id: "a", url: "https://example.com/a", weight: 1 }] },
  },
  { id: "bots", when: { visitor: "bot" }, to: { block: true } },
];

const SMART = {
  url: "https://example.com/",
  rules: RULES,
  split: [{ id: "b", url: "https://example.com/b", weight: 2 }],
  next: { url: "https://example.com/next", activateAt: "2030-01-01T00:00:00Z" },
  startsAt: "2026-01-01T00:00:00+01:00",
  expiresAt: "2031-01-01T00:00:00Z",
  expiredUrl: "https://example.com/over",
  cap: { mode: "strict", maxClicks: 10 },
  forwardQuery: "link-wins",
  utm: { source: "poster one" },
  openGraph: { title: "Spring" },
};

describe("a smart link", () => {
  it("takes no password that is tried first", async () => {
    const { status, body } = await call("POST /api/v1/links", { ...SMART, password: "password12" });
    expect([status, body]).toMatchObject([422, { errors: [{ path: "password" }] }]);
  });

  it("is read as it was written, and is published compiled", async () => {
    const { status, body } = await call("POST /api/v1/links", { ...SMART, password: "open sesame" });
    expect([status, body]).toMatchObject([
      201,
      {
        ...SMART,
        startsAt: "2025-12-31T23:00:00.000Z",
        expiresAt: "2031-01-01T00:00:00.000Z",
        cap: { mode: "strict", maxClicks: 10, used: 0 },
        hasPassword: true,
      },
    ]);
    expect(JSON.stringify(body)).not.toMatch(/sesame|salt|hash"/);
    const record = published(body);
    expect(record).toMatchObject({
      rules: [
        { id: "ios", when: { os: ["iOS"], country: ["DE"] } },
        {
          id: "night",
          when: { time: { zone: "Europe/Berlin", days: [6], startMinute: 1_320, endMinute: 360 } },
        },
        { id: "bots", to: { block: true } },
      ],
      next: { activateAtMs: Date.parse("2030-01-01T00:00:00Z") },
      startsAtMs: Date.parse("2025-12-31T23:00:00Z"),
      endedUrl: "https://example.com/over",
      cap: { mode: "strict", isUsedUp: false },
      forward: "link-wins",
      utmQuery: "utm_source=poster%20one",
      openGraph: { title: "Spring" },
    });
    expect(record?.password?.iterations).toBe(100_000);
  });

  it.each(["1", "seven77"])("refuses the password %s, which is guessed too soon", async (password) => {
    const refused = await call("POST /api/v1/links", { url: "https://example.com/", password });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: "password" }] } });
  });

  it("keeps what a change leaves out, and loses what it sets to null", async () => {
    const { body: link } = await call("POST /api/v1/links", { ...SMART, password: "open sesame" });
    const plain = await call(`PATCH /api/v1/links/${link.id}`, {
      title: "New",
      url: "https://example.com/2",
    });
    expect(plain.body).toMatchObject({ rules: RULES, hasPassword: true, forwardQuery: "link-wins" });
    expect(published(plain.body)).toMatchObject({
      url: "https://example.com/2",
      rules: [{}, {}, {}],
      password: {},
    });

    const change = {
      rules: null,
      split: null,
      next: null,
      startsAt: null,
      expiresAt: null,
      expiredUrl: null,
      password: null,
      cap: null,
      forwardQuery: null,
      utm: null,
      openGraph: null,
    };
    const { password: _never, ...withoutPassword } = change;
    const bare = await call(`PATCH /api/v1/links/${link.id}`, change);
    expect([bare.status, bare.body]).toMatchObject([
      200,
      { ...withoutPassword, rules: [], hasPassword: false, forwardQuery: "none" },
    ]);
    const record = published(bare.body);
    expect(Object.keys(record ?? {}).toSorted()).toEqual([
      "followsDomain",
      "linkId",
      "redirectStatus",
      "state",
      "url",
      "version",
    ]);
  });

  it("keeps a rule that is switched off, with its name, publishes the others, and says so when asked", async () => {
    const rules = RULES.map((rule, index) => ({ ...rule, name: `Rule ${index}`, enabled: index > 0 }));
    const { body: link } = await call("POST /api/v1/links", { url: "https://example.com/", rules });
    expect(link).toMatchObject({ rules });
    expect(published(link)?.rules?.map(({ id }) => id)).toEqual(["night", "bots"]);
    expect(JSON.stringify(published(link))).not.toMatch(/Rule \d|enabled/);
    const ask = async () =>
      (await call(`POST /api/v1/links/${link.id}/resolve`, { country: "DE", os: "iOS" })).body;
    expect(await ask()).toMatchObject({ location: "https://example.com/", ruleId: null, off: ["ios"] });
    const on = await call(`PATCH /api/v1/links/${link.id}`, { rules: RULES });
    expect(published(on.body)?.rules).toHaveLength(3);
    expect(await ask()).toMatchObject({ location: "https://example.com/ios", ruleId: "ios", off: [] });
  });

  it("asks for a city, by any spelling of its name, and says so of a simulated visitor", async () => {
    const to = { url: "https://example.com/zurich" };
    const rules = [{ id: "zurich", when: { country: ["CH"], city: ["ZÜRICH"] }, to }];
    const { body: link } = await call("POST /api/v1/links", { url: "https://example.com/", rules });
    expect(link).toMatchObject({ rules });
    expect(published(link)?.rules).toMatchObject([{ when: { city: ["zurich"] } }]);
    const ask = async (city: string | null) =>
      (await call(`POST /api/v1/links/${link.id}/resolve`, { country: "CH", city })).body;
    expect(await ask("Zurich")).toMatchObject({ ruleId: "zurich", location: to.url });
    const unmet = [{ field: "city", expected: ["zurich"], actual: "bern" }];
    expect(await ask("Bern")).toMatchObject({ ruleId: null, missed: [{ ruleId: "zurich", unmet }] });
    expect(await ask(null)).toMatchObject({ missed: [{ unmet: [{ actual: null }] }] });
  });

  it("gets the rules of another link, as they are there now, off ones too, in place of its own", async () => {
    const rules = RULES.map((rule, index) => ({ ...rule, name: `Rule ${index}`, enabled: index > 0 }));
    const { body: source } = await call("POST /api/v1/links", { url: "https://example.com/a", rules });
    const own = [{ id: "own", when: { visitor: "bot" }, to: { block: true } }];
    const { body: link } = await call("POST /api/v1/links", { url: "https://example.com/b", rules: own });
    const copied = await call(`POST /api/v1/links/${link.id}/rules/copy`, { from: source.id });
    expect([copied.status, copied.body]).toMatchObject([
      200,
      { id: link.id, url: "https://example.com/b", rules },
    ]);
    expect(published(link)?.rules?.map(({ id }) => id)).toEqual(["night", "bots"]);
    await call(`PATCH /api/v1/links/${source.id}`, { rules: null });
    const { body: history } = await callApi<{ readonly data: readonly { readonly after: object }[] }>(
      stage,
      `GET /api/v1/links/${link.id}/history`,
      { key },
    );
    expect(history.data[0]).toMatchObject({ version: 2, before: { rules: own }, after: { rules } });
    const emptied = await call(`POST /api/v1/links/${link.id}/rules/copy`, { from: source.id });
    expect(emptied.body).toMatchObject({ rules: [] });
  });

  it("gets none from what is no link that the caller may read", async () => {
    const { body: link } = await call("POST /api/v1/links", { url: "https://example.com/b" });
    const other = await stage.addObjects(await stage.addWorkspace());
    const { body: deleted } = await call("POST /api/v1/links", { url: "https://example.com/", rules: RULES });
    await callApi(stage, `DELETE /api/v1/links/${deleted.id}`, { key });
    for (const from of [other["linkId"], deleted.id, "lnk_1", ""]) {
      const { status, body } = await call(`POST /api/v1/links/${link.id}/rules/copy`, { from: from ?? "" });
      expect([from, status, body.errors]).toMatchObject([from, 422, [{ path: "from" }]]);
    }
    const absent = await call(`POST /api/v1/links/${other["linkId"]}/rules/copy`, { from: link.id });
    expect(absent.status).toBe(404);
  });

  it("stays the same when it is disabled and enabled again", async () => {
    const { body: link } = await call("POST /api/v1/links", SMART);
    await call(`PATCH /api/v1/links/${link.id}`, { status: "disabled" });
    const back = await call(`PATCH /api/v1/links/${link.id}`, { status: "live" });
    expect(published(back.body)).toMatchObject({
      state: "live",
      rules: [{}, {}, {}],
      cap: { mode: "strict" },
    });
  });
});

describe("an error names the field", () => {
  const rule = (change: object) => ({
    rules: [{ id: "r", when: { country: ["DE"] }, to: { block: true }, ...change }],
  });
  it.each([
    [
      "an unknown zone",
      rule({ when: { time: { zone: "Mars/Base", days: ["mon"] } } }),
      "rules[0].when.time.zone",
    ],
    [
      "an impossible range",
      rule({ when: { time: { zone: "UTC", start: "08:00", end: "25:00" } } }),
      "rules[0].when.time.end",
    ],
    [
      "a weight of zero",
      { split: [{ id: "a", url: "https://example.com/a", weight: 0 }] },
      "split[0].weight",
    ],
    [
      "51 rules",
      { rules: Array.from({ length: 51 }, (_, index) => ({ ...rule({}).rules[0], id: `r${index}` })) },
      "rules",
    ],
    ["a private address", rule({ to: { url: "http://10.0.0.1/" } }), "rules[0].to.url"],
    ["credentials", rule({ to: { url: "https://me:secret@example.com/" } }), "rules[0].to.url"],
    ["a scheme", { expiredUrl: "javascript:alert(1)" }, "expiredUrl"],
    ["a placeholder that is not filled", { expiredUrl: "https://example.com/{country}" }, "expiredUrl"],
    [
      "a placeholder in a picture",
      { openGraph: { image: "https://example.com/{1}.png" } },
      "openGraph.image",
    ],
    ["an invalid instant", { startsAt: "tomorrow" }, "startsAt"],
    [
      "an end before the start",
      { startsAt: "2030-01-01T00:00:00Z", expiresAt: "2029-01-01T00:00:00Z" },
      "expiresAt",
    ],
    ["an unknown country", rule({ when: { country: ["XX"] } }), "rules[0].when.country[0]"],
    ["a city of no country", rule({ when: { city: ["Paris"] } }), "rules[0].when.city"],
    ["an unknown field", rule({ when: { weather: ["sun"] } }), "rules[0].when.weather"],
    ["an empty Open Graph", { openGraph: {} }, "openGraph"],
  ])("of %s", async (_what, change, path) => {
    const { status, body } = await call("POST /api/v1/links", { url: "https://example.com/", ...change });
    expect([status, body.code]).toEqual([422, "invalid"]);
    expect(body.errors?.map((error) => error.path)).toContain(path);
  });

  it("of a loop to a short domain of any workspace", async () => {
    const other = await stage.addWorkspace();
    const url = `https://${other.host}/x`;
    const { status, body } = await call("POST /api/v1/links", {
      url: "https://example.com/",
      rules: [{ id: "r", when: { country: ["DE"] }, to: { split: [{ id: "a", url, weight: 1 }] } }],
    });
    expect([status, body.errors]).toMatchObject([422, [{ path: "rules[0].to.split[0].url" }]]);
  });

  it("of a record over 64 KB", async () => {
    const to = { url: `https://example.com/${"a".repeat(4_000)}` };
    const rules = Array.from({ length: 20 }, (_, index) => ({
      id: `r${index}`,
      when: { country: ["DE"] },
      to,
    }));
    const { status, body } = await call("POST /api/v1/links", { url: "https://example.com/", rules });
    expect([status, body.errors]).toMatchObject([422, [{ path: "rules" }]]);
  });
});

type Answer = {
  readonly id: string;
  readonly domain: string;
  readonly slug: string;
  readonly code?: string;
  readonly errors?: readonly { readonly path: string }[];
};

const call = (target: string, body: object) => callApi<Answer>(stage, target, { key, body });

/** The last published record of the link. */
const published = ({ domain, slug }: Answer) => stage.edge.recordAt(domain, slug);
