/** In workerd, where a Request has the headers and the `cf` object of the platform. */
import { splitRequestUrl } from "@hopline/core/link/link-address";
import type { LinkRecord } from "@hopline/core/link/link-record";
import { encodeClick } from "@hopline/core/click/segment";
import { describe, expect, it } from "vitest";
import { readClick } from "../../src/clicks/read-click.ts";

const RECORD: LinkRecord = {
  linkId: "0198f3c2-a1b2-7c3d-8e4f-5a6b7c8d9e0f",
  version: 7,
  state: "live",
  url: "https://example.com/",
  redirectStatus: 302,
};

const PLACE = {
  country: "CH",
  regionCode: "ZH",
  city: "Zürich",
  continent: "EU",
  colo: "ZRH",
  botManagement: { score: 97 },
};

type Visit = {
  readonly url?: string;
  readonly method?: string;
  readonly headers?: HeadersInit;
  readonly cf?: unknown;
};

function read({ url = "https://go.example.com/spring", cf, ...init }: Visit) {
  const request = new Request(url, { ...init, ...(cf === undefined ? {} : { cf: { ...Object(cf) } }) });
  const { method, headers } = request;
  const { query } = splitRequestUrl(request.url);
  return readClick(
    { request, method, headers, query },
    { record: RECORD, clickedAtMs: 1_795_000_000_123, detail: null },
  );
}

it("says which alias the visitor came through, and nothing of the link's own slug", () => {
  const request = new Request("https://go.example.com/spring");
  const { method, headers } = request;
  const clickOf = (record: LinkRecord) =>
    encodeClick(readClick({ request, method, headers, query: "" }, { record, clickedAtMs: 1, detail: null }));
  expect(JSON.parse(clickOf({ ...RECORD, alias: "spring" }))).toMatchObject({ al: "spring" });
  expect(clickOf(RECORD)).not.toContain("al");
});

it("reads every fact as it was sent", () => {
  const click = read({
    url: "https://go.example.com/spring?source=qr",
    method: "HEAD",
    headers: {
      "cf-connecting-ip": "203.0.113.77",
      "user-agent": "Mozilla/5.0 Firefox/145.0",
      referer: "https://news.example.org/today",
      "accept-language": "de-CH,de;q=0.9",
      "sec-purpose": "prefetch;prerender",
    },
    cf: PLACE,
  });
  expect(click).toEqual({
    clickedAtMs: 1_795_000_000_123,
    linkId: RECORD.linkId,
    linkVersion: 7,
    source: "qr",
    method: "HEAD",
    address: "203.0.113.0",
    userAgent: "Mozilla/5.0 Firefox/145.0",
    referrer: "https://news.example.org/today",
    acceptLanguage: "de-CH,de;q=0.9",
    purpose: "prefetch;prerender",
    optedOut: false,
    country: "CH",
    region: "ZH",
    city: "Zürich",
    continent: "EU",
    colo: "ZRH",
    botScore: 97,
  });
});

it.each([{}, { cf: {} }, { cf: { country: 7, city: "", botManagement: null } }])(
  "takes what is missing or of the wrong kind for not known: %j",
  (visit) => {
    const { clickedAtMs, linkId, linkVersion, alias: _, source, method, optedOut, ...facts } = read(visit);
    expect([clickedAtMs, linkId, linkVersion, source, method, optedOut]).toEqual([
      1_795_000_000_123,
      RECORD.linkId,
      7,
      "link",
      "GET",
      false,
    ]);
    expect(new Set(Object.values(facts))).toEqual(new Set([null]));
  },
);

describe("the address", () => {
  it.each([
    ["203.0.113.77", "203.0.113.0"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1::"],
    ["::ffff:203.0.113.77", "203.0.113.0"],
    ["unknown", null],
  ])("%s enters the buffer as %s", (address, network) => {
    expect(read({ headers: { "cf-connecting-ip": address } }).address).toBe(network);
  });
});

describe("the purpose", () => {
  it.each([
    ["sec-purpose", "prefetch"],
    ["purpose", "prefetch"],
    ["x-purpose", "preview"],
    ["x-moz", "prefetch"],
  ])("is read from %s", (name, value) => {
    expect(read({ headers: { [name]: value } }).purpose).toBe(value);
  });

  it("is the standard header's where there are two", () => {
    expect(read({ headers: { purpose: "preview", "sec-purpose": "prefetch" } }).purpose).toBe("prefetch");
  });
});

describe("a visitor who opts out", () => {
  it.each(["sec-gpc", "dnt"])("by %s is placed in a region, not in a city", (name) => {
    expect(read({ headers: { [name]: "1" }, cf: PLACE })).toMatchObject({
      optedOut: true,
      country: "CH",
      region: "ZH",
      city: null,
    });
  });

  it.each([{ "sec-gpc": "0" }, { dnt: "0" }, { dnt: "unspecified" }])(
    "does so with 1 only, not with %j",
    (headers) => {
      expect(read({ headers, cf: PLACE })).toMatchObject({ optedOut: false, city: "Zürich" });
    },
  );
});

it("cuts what is longer than anyone needs, and never through a character", () => {
  const click = read({
    headers: {
      "user-agent": `${"x".repeat(511)}🚲`,
      referer: "y".repeat(10_000),
      "accept-language": "z".repeat(100),
    },
    cf: { city: "w".repeat(100) },
  });
  expect(click.userAgent?.length).toBe(512);
  expect(click.userAgent?.isWellFormed()).toBe(true);
  expect([click.referrer?.length, click.acceptLanguage?.length, click.city?.length]).toEqual([256, 64, 64]);
});

it.each([
  ["?source=qr", "qr"],
  ["?a=b&source=qr&c=d", "qr"],
  ["?source=qrs", "link"],
  ["?resource=qr", "link"],
  ["", "link"],
])("takes a visit with %j for a %s", (query, source) => {
  expect(read({ url: `https://go.example.com/spring${query}` }).source).toBe(source);
});
