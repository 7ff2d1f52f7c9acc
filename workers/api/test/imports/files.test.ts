/** Links as files: imports, exports, QR codes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import fc from "fast-check";
import { encode } from "uqr";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCsvReader, fromHarmlessText, toCsvLine, toHarmlessText } from "../../src/imports/csv.ts";
import { readRows } from "../../src/imports/import-body.ts";
import { readImportRow } from "../../src/imports/import-row.ts";
import { callApi } from "../call-api.ts";
import { openStage, type Stage, type Workspace } from "../stage.ts";
import { runs } from "../../../../packages/core/test/runs.ts";

let stage: Stage;
let workspace: Workspace;
let key: string;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(() => stage.close());

async function openWorkspace() {
  workspace = await stage.addWorkspace();
  key = await stage.addKey(workspace, ["links:read", "links:write"]);
}

type Report = {
  readonly rows: number;
  readonly created: number;
  readonly refused: number;
  readonly refusals: readonly { readonly row: number; readonly code: string; readonly slug: string | null }[];
};

async function send(
  query: string,
  body: string,
  type = "text/csv",
): Promise<{ status: number; report: Report }> {
  const response = await stage.app.request(`/api/v1/links/import?${query}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": type },
    body,
  });
  return { status: response.status, report: (await response.json()) as Report };
}

const download = async (query: string) => {
  const response = await stage.app.request(`/api/v1/links/export?${query}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(response.status).toBe(200);
  return response.text();
};

const listLinks = async () => {
  const { body } = await callApi<{ data: readonly Record<string, unknown>[] }>(
    stage,
    "GET /api/v1/links?sort=slug",
    {
      key,
    },
  );
  return body.data;
};

describe("CSV", () => {
  it("reads back whatever was written, in pieces of any size", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.array(
            fc.string().map((text) => text.replaceAll("\r", "")),
            { minLength: 2, maxLength: 4 },
          ),
        ),
        fc.integer({ min: 1, max: 7 }),
        (rows, size) => {
          const text = rows.map(toCsvLine).join("");
          const reader = createCsvReader();
          const read: (readonly string[])[] = [];
          for (let at = 0; at < text.length; at += size) {
            read.push(...[...reader.feed(text.slice(at, at + size))].map((row) => [...row]));
          }
          read.push(...reader.finish());
          const first = text.startsWith("\uFEFF");
          expect(first || JSON.stringify(read) === JSON.stringify(rows)).toBe(true);
        },
      ),
      runs(),
    );
  });
});

it("a text that a spreadsheet would run is harmless in a file, and itself again when it comes back", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("'", "=", "+", "-", "@", "a") }), (text) => {
      const cell = toHarmlessText(text);
      expect(cell).not.toMatch(/^[=+\-@]/);
      expect(fromHarmlessText(cell)).toBe(text);
    }),
    runs(),
  );
});

describe("a file of", () => {
  const url = "https://example.com/spring";
  const dated = { createdAt: "2024-05-01T10:00:00.000Z" };
  const whole = { url, title: "Spring", tags: ["mail", "2024"], ...dated };
  it.each([
    ["bitly", "bitly-bitlinks.json", [{ ...whole, url: `${url}?utm_source=bitly` }]],
    ["bitly", "bitly-export.csv", [{ url }, { slug: "3xyz", url: "https://example.com/plain" }]],
    ["dub", "dub-links.json", [whole]],
    ["dub", "dub-export.csv", [{ ...whole, title: null }]],
    ["shlink", "shlink-short-urls.json", [whole]],
    ["shlink", "shlink-web-client.csv", [whole]],
    ["kutt", "kutt-links.json", [{ ...whole, tags: [] }]],
    ["yourls", "yourls-stats.json", [{ ...whole, tags: [] }]],
    ["yourls", "yourls-url.csv", [{ ...whole, tags: [] }]],
    ["doubly", "doubly-links.json", [{ url, ...dated }]],
    ["doubly", "doubly-links.csv", [{ url, ...dated }]],
  ] as const)("%s becomes links: %s", async (format, file, expected) => {
    const path = join(import.meta.dirname, "fixtures", file);
    const type = file.endsWith(".csv") ? "text/csv" : "application/json";
    const links: unknown[] = [];
    for await (const row of readRows(new Response(readFileSync(path)).body ?? new ReadableStream(), type)) {
      const read = readImportRow(row, { format, domain: undefined, appSchemes: stage.appSchemes });
      links.push(read.isValid ? read.link : read.errors);
    }
    expect(links).toMatchObject(expected.map((link) => ({ slug: "spring", ...link })));
    expect(links.length).toBe(expected.length);
  });

  it.each([
    [
      "dub",
      { key: "a", url, expiresAt: "2024-06-01T00:00:00.000Z", expiredUrl: "https://example.com/over" },
      { expiresAt: "2024-06-01T00:00:00.000Z", expiredUrl: "https://example.com/over", state: "live" },
    ],
    ["dub", { key: "a", url, archived: true, expiresAt: null, expiredUrl: null }, { state: "live" }],
    [
      "kutt",
      { address: "a", target: url, expire_in: "2024-06-01 02:00:00+02", banned: false },
      { expiresAt: "2024-06-01T00:00:00.000Z", state: "live" },
    ],
    ["kutt", { address: "a", target: url, expire_in: null, banned: true }, { state: "disabled" }],
    [
      "shlink",
      {
        shortCode: "a",
        longUrl: url,
        visitsSummary: { total: 7 },
        meta: { validSince: "2024-01-01T01:00:00+01:00", validUntil: "2024-06-01T00:00:00Z", maxVisits: 9 },
      },
      {
        startsAt: "2024-01-01T00:00:00.000Z",
        expiresAt: "2024-06-01T00:00:00.000Z",
        cap: { mode: "fast", maxClicks: 9 },
        usedClicks: 7,
      },
    ],
  ] as const)("%s keeps what ends a link there: %o", (format, row, expected) => {
    const read = readImportRow(row, { format, domain: undefined, appSchemes: stage.appSchemes });
    expect(read).toMatchObject({ isValid: true, link: expected });
  });

  it("is refused, and not let live for ever, where an expiry can't be read", async () => {
    const rows = JSON.stringify([{ key: "never-ends", url, expiresAt: "some day" }]);
    await openWorkspace();
    const { report } = await send("format=dub", rows, "application/json");
    expect(report).toMatchObject({ created: 0, refused: 1 });
    expect(JSON.stringify(report.refusals)).toContain("expiresAt");
  });

  it("anything at all is a link or a list of what is wrong", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom("url", "slug", "key", "tags", "createdAt", "link"), fc.jsonValue()),
        (row) => {
          expect(
            typeof readImportRow(row as Record<string, unknown>, {
              format: "dub",
              domain: undefined,
              appSchemes: stage.appSchemes,
            }).isValid,
          ).toBe("boolean");
        },
      ),
      runs(),
    );
  });
});

describe("POST /api/v1/links/import", () => {
  const csv = [
    "keyword,url,title,timestamp,ip,clicks",
    'a,https://example.com/a,"A ""quoted"", title\nin two lines",2024-05-01 10:00:00,,3',
    "b,not a url,,,,",
    "a,https://example.com/again,,,,",
    "c d,https://example.com/,,,,",
    "e,https://example.com/e,,,,",
  ].join("\r\n");

  it("says in a dry run what would happen, and does nothing", async () => {
    await openWorkspace();
    const dry = await send("format=yourls&dryRun=true", csv);
    expect(dry.status).toBe(200);
    expect(dry.report).toMatchObject({ dryRun: true, rows: 5, created: 2, refused: 3 });
    expect(await listLinks()).toEqual([]);
    const real = await send("format=yourls", csv);
    expect({ ...real.report, dryRun: true }).toEqual(dry.report);
    expect(real.report.refusals.map(({ row, code }) => [row, code])).toEqual([
      [2, "invalid"],
      [3, "slug_taken"],
      [4, "invalid"],
    ]);
    expect((await listLinks())[0]).toMatchObject({
      slug: "a",
      title: 'A "quoted", title\nin two lines',
      createdAt: "2024-05-01T10:00:00.000Z",
      clicks: { total: 0 },
    });
    expect((await send("format=yourls", csv)).report).toMatchObject({ created: 0, refused: 5 });
  });

  it.each([
    ["a list", "application/json", [{ key: "x", url: "https://example.com/" }]],
    ["Kutt's answer", "application/json", { total: 1, data: [{ key: "x", url: "https://example.com/" }] }],
    [
      "Shlink's answer",
      "application/json",
      { shortUrls: { data: [{ key: "x", url: "https://example.com/" }] } },
    ],
    ["YOURLS' answer", "application/json", { links: { link_1: { key: "x", url: "https://example.com/" } } }],
    ["a line", "application/x-ndjson", { key: "x", url: "https://example.com/" }],
  ])("reads %s", async (_what, type, document) => {
    await openWorkspace();
    const { report } = await send("format=dub", JSON.stringify(document), type);
    expect(report).toMatchObject({ rows: 1, created: 1, refusals: [] });
    expect((await listLinks()).map(({ slug }) => slug)).toEqual(["x"]);
  });

  it("tells the isolates in one change that links came, and KV only where a tombstone lies", async () => {
    await openWorkspace();
    await send("", "slug,url\nfresh,https://example.com/\nreused,https://example.com/");
    expect([...stage.edge.inKv.keys()].filter((name) => name.startsWith(workspace.host))).toEqual([]);
    const heard = [...stage.edge.inFeed.keys()].filter((name) => name.startsWith(workspace.host));
    expect(heard).toEqual([`${workspace.host}/*`]);
    expect(stage.edge.inFeed.get(`${workspace.host}/*`)).toMatchObject({ version: 1 });
    await stage.client.query("UPDATE links SET state = 'deleted', version = 4 WHERE slug = 'reused'");
    expect((await send("", "slug,url\nreused,https://example.com/")).report.created).toBe(1);
    expect(stage.edge.inKv.get(`${workspace.host}/reused`)).toContain('"version":5');
  });

  it("refuses a domain that is not the workspace's, row by row", async () => {
    await openWorkspace();
    const { report } = await send("domain=foreign.example", "slug,url\na,https://example.com/");
    expect(report.refusals).toMatchObject([{ row: 1, code: "no_domain", slug: "a" }]);
  });

  it("takes more than one piece, and gives them all back by export", async () => {
    await openWorkspace();
    const rows = Array.from(
      { length: 2_500 },
      (_, index) => `r${index},https://example.com/${index},=1+1,a|b`,
    );
    const { report } = await send("", ["slug,url,title,tags", ...rows].join("\n"));
    expect(report).toMatchObject({ rows: 2_500, created: 2_500, refused: 0 });
    const lines = (await download("format=csv")).trimEnd().split("\r\n");
    expect(lines.length).toBe(2_501);
    expect(lines[1]).toMatch(/^r\d+,https:\/\/example\.com\/\d+,[^,]+,'=1\+1,a\|b,/);
    const objects = (await download("format=jsonl"))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { slug: string });
    expect(new Set(objects.map(({ slug }) => slug)).size).toBe(2_500);
    expect((await download("format=csv&search=r17&tag=none")).trimEnd().split("\r\n").length).toBe(1);
  });
});

describe("GET /api/v1/links/{linkId}/qr", () => {
  it("draws the short URL with source=qr, as SVG and as PNG alike", async () => {
    await openWorkspace();
    const { body: link } = await callApi<{ id: string; shortUrl: string }>(stage, "POST /api/v1/links", {
      key,
      body: { url: "https://example.com/", slug: "grüße" },
    });
    const wanted = encode(`${link.shortUrl}?source=qr`, { ecc: "M", border: 4 });
    const get = (query: string, headers = {}) =>
      stage.app.request(`/api/v1/links/${link.id}/qr?${query}`, {
        headers: { authorization: `Bearer ${key}`, ...headers },
      });

    const svg = await get("");
    expect(svg.headers.get("content-type")).toBe("image/svg+xml");
    const dark = [...(await svg.text()).matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${x} ${y}`);
    const expected = wanted.data.flatMap((row, y) =>
      row.flatMap((isDark, x) => (isDark ? [`${x} ${y}`] : [])),
    );
    expect(dark).toEqual(expected);

    const png = await get("format=png&scale=2");
    const pixels = readPng(Buffer.from(await png.arrayBuffer()));
    expect(pixels.length).toBe(wanted.size * 2);
    expect(pixels.map((line, y) => line.map((_, x) => wanted.data[y >> 1]?.[x >> 1]))).toEqual(pixels);

    const again = await get("format=png&scale=2", { "if-none-match": png.headers.get("etag") ?? "" });
    expect(again.status).toBe(304);
  });
});

/** Black pixels of a one-bit PNG whose lines are not filtered. */
function readPng(bytes: Buffer): boolean[][] {
  expect(bytes.subarray(0, 8).toString("hex")).toBe("89504e470d0a1a0a");
  const size = bytes.readUInt32BE(16);
  const dataLength = bytes.readUInt32BE(33);
  expect(bytes.subarray(37, 41).toString()).toBe("IDAT");
  const lines = inflateSync(bytes.subarray(41, 41 + dataLength));
  const lineBytes = 1 + Math.ceil(size / 8);
  return Array.from({ length: size }, (_, y) =>
    Array.from({ length: size }, (_pixel, x) => {
      const byte = lines[y * lineBytes + 1 + (x >> 3)] ?? 0;
      return (byte & (0x80 >> (x & 7))) === 0;
    }),
  );
}
