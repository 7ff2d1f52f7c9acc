/** Links as files: imports, exports, QR codes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { decode } from "fast-png";
import { encode } from "uqr";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fromHarmlessText, toCsvLine, toHarmlessText } from "@hopline/core/csv/csv-line";
import { createCsvReader } from "@hopline/core/csv/csv-reader";
import { readDocument, readRows } from "../../src/imports/import-body.ts";
import { readImportRow } from "../../src/imports/import-row.ts";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import type { Workspace } from "../stage.ts";
import { downloadFile, sendFile } from "./send-file.ts";
import { runs } from "../../../../packages/core/test/runs.ts";

const { stage } = await openKeyedStage("admin");
let workspace: Workspace;
let key: string;

beforeEach(async () => {
  workspace = await stage.addWorkspace();
  key = await stage.addKey(workspace, ["links:read", "links:write"]);
});

const send = (query: string, body: string, type?: string) =>
  sendFile(stage, key, { query, body, ...(type === undefined ? {} : { type }) });

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
  it("reads back what was written, in chunks of any size", () => {
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
          expect(
            first || JSON.stringify(read.map((row) => row.map(fromHarmlessText))) === JSON.stringify(rows),
          ).toBe(true);
        },
      ),
      runs(),
    );
  });
});

describe("a text in a file for a spreadsheet", () => {
  const hostile = fc.string({ unit: fc.constantFrom("'", '"', " ", ..."=+-@\t\r\n＝＋－＠;,a\u00A0") });

  it.each([",", ";", "\t"])("never begins a cell like a formula, where cells end at %j", (separator) => {
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1, maxLength: 3 }), (texts) => {
        expect(readCells(toCsvLine(texts), separator).filter(beginsLikeAFormula)).toEqual([]);
      }),
      runs(),
    );
  });

  it("comes back from it unchanged", () => {
    fc.assert(
      fc.property(fc.oneof(hostile, fc.string({ unit: "binary" })), (text) => {
        expect(fromHarmlessText(toHarmlessText(text))).toBe(text);
      }),
      runs(),
    );
  });

  /** As a spreadsheet reads it: a cell that begins with a quote goes on to the closing one, and two quotes in it are one. */
  function readCells(text: string, separator: string): readonly string[] {
    const cells: string[] = [];
    let cell = "";
    let isQuoted = false;
    for (let at = 0; at < text.length; at += 1) {
      const character = text.charAt(at);
      if (isQuoted && character === '"' && text.charAt(at + 1) === '"') {
        cell += character;
        at += 1;
      } else if (isQuoted) {
        isQuoted = character !== '"';
        cell += isQuoted ? character : "";
      } else if (character === '"') {
        isQuoted = cell === "";
        cell += isQuoted ? "" : character;
      } else if (character === separator || character === "\r" || character === "\n") {
        cells.push(cell);
        cell = "";
      } else {
        cell += character;
      }
    }
    return [...cells, cell];
  }

  /** As spreadsheets may remove them, spaces, quotes, tabs and line breaks before it do not count. */
  function beginsLikeAFormula(cell: string): boolean {
    return /^[ "\u00A0\t\r\n]*[=+\-@＝＋－＠]/.test(cell);
  }
});

describe("a file of", () => {
  const url = "https://example.com/spring";
  const dated = { createdAt: "2024-05-01T10:00:00.000Z" };
  const untagged = { url, title: "Spring", ...dated };
  const whole = { ...untagged, tags: ["mail", "2024"] };
  it.each([
    ["bitly", "bitly-bitlinks.json", [{ ...whole, url: `${url}?utm_source=bitly` }]],
    ["bitly", "bitly-export.csv", [{ url }, { slug: "3xyz", url: "https://example.com/plain" }]],
    ["dub", "dub-links.json", [whole]],
    ["dub", "dub-export.csv", [{ ...whole, title: null }]],
    ["shlink", "shlink-short-urls.json", [whole]],
    ["shlink", "shlink-web-client.csv", [whole]],
    ["kutt", "kutt-links.json", [untagged]],
    ["yourls", "yourls-stats.json", [untagged]],
    ["yourls", "yourls-url.csv", [untagged]],
    ["doubly", "doubly-links.json", [{ url, ...dated }]],
    ["doubly", "doubly-links.csv", [{ url, ...dated }]],
  ] as const)("%s becomes links: %s", async (format, file, expected) => {
    const path = join(import.meta.dirname, "fixtures", file);
    const content = readFileSync(path, "utf8");
    const links: unknown[] = [];
    const rows = file.endsWith(".csv") ? rowsOf(content, "text/csv") : readDocument(JSON.parse(content));
    for await (const row of rows) {
      const read = readImportRow(row, {
        format,
        domain: undefined,
        reuse: false,
        appSchemes: stage.appSchemes,
      });
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
  ] as const)("%s keeps its expiry and limits: %o", (format, row, expected) => {
    const read = readImportRow(row, {
      format,
      domain: undefined,
      reuse: false,
      appSchemes: stage.appSchemes,
    });
    expect(read).toMatchObject({ isValid: true, link: expected });
  });

  it("is refused if an expiry can't be read, instead of imported without one", async () => {
    const rows = JSON.stringify([{ key: "never-ends", url, expiresAt: "some day" }]);
    const report = await send("format=dub", rows, "application/json");
    expect(report).toMatchObject({ created: 0, refused: 1 });
    expect(JSON.stringify(report.refusals)).toContain("expiresAt");
  });

  it("any row gives a link or a list of errors", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom("url", "slug", "key", "tags", "createdAt", "link"), fc.jsonValue()),
        (row) => {
          expect(
            typeof readImportRow(row as Record<string, unknown>, {
              format: "dub",
              domain: undefined,
              reuse: false,
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

  it("says in a dry run what would happen, and changes nothing", async () => {
    const dry = await send("format=yourls&dryRun=true", csv);
    expect(dry).toMatchObject({ dryRun: true, rows: 5, created: 2, refused: 3 });
    expect(await listLinks()).toEqual([]);
    const real = await send("format=yourls", csv);
    expect({ ...real, dryRun: true }).toEqual(dry);
    expect(real.refusals.map(({ row, code }) => [row, code])).toEqual([
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
    expect(await send("format=yourls", csv)).toMatchObject({ created: 0, refused: 5 });
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
    const report = await send("format=dub", JSON.stringify(document), type);
    expect(report).toMatchObject({ rows: 1, created: 1, refusals: [] });
    expect((await listLinks()).map(({ slug }) => slug)).toEqual(["x"]);
  });

  describe("a row whose slug is taken", () => {
    const rows =
      "slug,url,title,tags,status\ntaken,https://example.com/new,,new,\ntaken,https://example.com/twice,,,\nfree,https://example.com/free,,,";
    const make = async (body: object) => {
      const url = "https://example.com/old";
      return (await callApi<{ id: string }>(stage, "POST /api/v1/links", { key, body: { url, ...body } }))
        .body;
    };
    const history = async (id: string) =>
      (await callApi<{ data: { version: number }[] }>(stage, `GET /api/v1/links/${id}/history`, { key })).body
        .data;

    it("is skipped, unless the import says otherwise", async () => {
      await make({ slug: "taken" });
      expect(await send("", rows)).toMatchObject({ created: 1, replaced: 0, refused: 2 });
    });

    it("is imported under the next free slug with conflict=rename, as the dry run says, or refused where none is", async () => {
      await make({ slug: "taken" });
      await make({ slug: "taken-2" });
      await make({ slug: "x".repeat(127) });
      const longer = `${rows}\n${"x".repeat(127)},https://example.com/long,,,`;
      const dry = await send("conflict=rename&dryRun=true", longer);
      expect(dry).toMatchObject({
        rows: 4,
        created: 3,
        refused: 1,
        refusals: [{ row: 4, code: "slug_taken" }],
      });
      expect(dry.warnings.map(({ message }) => message)).toEqual([
        "has a slug that is taken: it is taken-3",
        "has a slug that is taken: it is taken-4",
      ]);
      expect({ ...(await send("conflict=rename", longer)), dryRun: true }).toEqual(dry);
      const found = (await listLinks()).map(({ slug, url }) => [slug, url]);
      expect(found).toContainEqual(["taken-3", "https://example.com/new"]);
      expect(found).toContainEqual(["taken-4", "https://example.com/twice"]);
    });

    it("edits the link that has it with conflict=replace: what the row has, once, as a version, in the log and at the edge", async () => {
      const { id } = await make({ slug: "taken", title: "Kept", tags: ["old"], password: "open sesame" });
      const dry = await send("conflict=replace&dryRun=true", rows);
      expect(dry).toMatchObject({ created: 1, replaced: 1, refusals: [{ row: 2, code: "slug_taken" }] });
      expect(await history(id)).toHaveLength(1);
      expect({ ...(await send("conflict=replace", rows)), dryRun: true }).toEqual(dry);
      const { body } = await callApi(stage, `GET /api/v1/links/${id}`, { key });
      expect(body).toMatchObject({
        url: "https://example.com/new",
        title: "Kept",
        tags: ["new"],
        hasPassword: true,
        status: "live",
        version: 2,
      });
      expect(stage.edge.inKv.get(`${workspace.host}/taken`)).toContain("https://example.com/new");
      const { rows: logged } = await stage.client.query(
        "SELECT action FROM audit_log WHERE workspace_id = $1 AND action LIKE 'link.%' ORDER BY action DESC",
        [workspace.id],
      );
      expect(logged.map(({ action }) => String(action))).toEqual([
        "link.updated",
        "link.imported",
        "link.created",
      ]);
    });

    it("is not written over a link in the trash, a former slug, another workspace's link, nor over more than 500", async () => {
      const trashed = await make({ slug: "trashed" });
      await callApi(stage, `DELETE /api/v1/links/${trashed.id}`, { key });
      const renamed = await make({ slug: "former" });
      await callApi(stage, `PATCH /api/v1/links/${renamed.id}`, { key, body: { slug: "now" } });
      const others = "slug,url\ntrashed,https://example.com/\nformer,https://example.com/";
      expect(await send("conflict=replace", others)).toMatchObject({ replaced: 0, refused: 2 });
      const many = Array.from({ length: 501 }, (_, at) => `m${at},https://example.com/${at}`).join("\n");
      await send("", `slug,url\n${many}`);
      const report = await send("conflict=replace&dryRun=true", `slug,url\n${many}`);
      expect([report.replaced, report.refusals.map(({ row, code }) => [row, code])]).toEqual([
        500,
        [[501, "invalid"]],
      ]);
    });
  });

  it("a link of Dub that leads visitors elsewhere by country or device is refused with the reason, not imported without", async () => {
    const url = "https://example.com/";
    const rows = [
      { key: "geo", url, geo: { DE: "https://example.com/de" } },
      { key: "phones", url, ios: "https://example.com/ios", android: "https://example.com/android" },
      { key: "plain", url, geo: null, ios: "", android: null },
      { key: "empty", url, geo: {} },
    ];
    const report = await send("format=dub", JSON.stringify(rows), "application/json");
    expect(report).toMatchObject({ created: 2, refused: 2 });
    expect(report.refusals.map(({ slug, errors }) => [slug, errors.map(({ path }) => path)])).toEqual([
      ["geo", ["geo"]],
      ["phones", ["ios", "android"]],
    ]);
    expect(JSON.stringify(report.refusals)).toContain("an import does not take over");
  });

  it("creates no link that is the same as one that there is, with reuse: rows that name a slug, or ask for a link of their own, get theirs", async () => {
    const file = `slug,url,status,externalid
,https://example.com/list,,
,HTTPS://EXAMPLE.com:443/list,,
printed,https://example.com/list,,
,https://example.com/list,disabled,
,https://example.com/list,,product-1
,https://example.com/other,,`;
    const dry = await send("reuse=true&dryRun=true", file);
    expect(dry).toMatchObject({ rows: 6, created: 5, reused: 1, replaced: 0, refused: 0 });
    const report = await send("reuse=true", file);
    expect({ ...report, dryRun: true }).toEqual(dry);
    const made = await listLinks();
    expect(made).toHaveLength(5);
    expect(made.map(({ slug }) => slug)).toContain("printed");
    const again = [",https://example.com/list,,", ",https://example.com/other,,"];
    const second = await send("reuse=true", ["slug,url,status,externalid", ...again].join("\n"));
    expect(second).toMatchObject({ rows: 2, created: 0, reused: 2, refused: 0 });
    expect(await listLinks()).toEqual(made);
    expect(await send("", `slug,url\n${again[1]?.slice(0, -2)}`)).toMatchObject({ created: 1, reused: 0 });
  });

  it("announces in one change that links arrived, or the link where its address holds a tombstone, and writes nothing to KV itself", async () => {
    await send("", "slug,url\nfresh,https://example.com/\nreused,https://example.com/");
    expect([...stage.edge.inKv.keys()].filter((name) => name.startsWith(workspace.host))).toEqual([]);
    const heard = [...stage.edge.inFeed.keys()].filter((name) => name.startsWith(workspace.host));
    expect(heard).toEqual([`${workspace.host}/*`]);
    expect(stage.edge.inFeed.get(`${workspace.host}/*`)).toMatchObject({ version: 1 });
    await stage.client.query("UPDATE links SET state = 'deleted', version = 4 WHERE slug = 'reused'");
    expect((await send("", "slug,url\nreused,https://example.com/")).created).toBe(1);
    expect(stage.edge.inFeed.get(`${workspace.host}/reused`)).toMatchObject({ version: 5 });
    expect([...stage.edge.inKv.keys()].filter((name) => name.startsWith(workspace.host))).toEqual([]);
  });

  it("refuses a domain that is not the workspace's, row by row", async () => {
    const report = await send("domain=foreign.example", "slug,url\na,https://example.com/");
    expect(report.refusals).toMatchObject([{ row: 1, code: "no_domain", slug: "a" }]);
  });

  it("imports more than one chunk, and exports all of it", async () => {
    const rows = Array.from(
      { length: 2_500 },
      (_, index) => `r${index},https://example.com/${index},=1+1,a|b`,
    );
    const report = await send("", ["slug,url,title,tags", ...rows].join("\n"));
    expect(report).toMatchObject({ rows: 2_500, created: 2_500, refused: 0 });
    const lines = (await downloadFile(stage, key, "format=csv")).trimEnd().split("\r\n");
    expect(lines.length).toBe(2_501);
    expect(lines[1]).toMatch(/^r\d+,https:\/\/example\.com\/\d+,[^,]+,'=1\+1,a\|b,/);
    const objects = (await downloadFile(stage, key, "format=jsonl"))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { slug: string });
    expect(new Set(objects.map(({ slug }) => slug)).size).toBe(2_500);
    expect(
      (await downloadFile(stage, key, "format=csv&search=r17&tag=none")).trimEnd().split("\r\n").length,
    ).toBe(1);
  });
});

it("a header of many columns does not make every short row as wide as itself", async () => {
  const header = Array.from({ length: 50_000 }, (_, index) => `c${index}`);
  const body = `url,${header.join(",")}\r\nhttps://example.com/\r\nhttps://example.com/,1,2\r\n`;
  const widths: number[] = [];
  for await (const row of rowsOf(body, "text/csv")) {
    widths.push(Object.keys(row).length);
  }
  expect(widths).toEqual([1, 3]);
});

const endless = "x".repeat(1_500_000);

it.each([
  ["application/x-ndjson", `{"url":"https://a.test/"}\n${endless}\n{"url":"https://b.test/"}`],
  ["text/csv", `url\nhttps://a.test/\n"${endless}"\nhttps://b.test/`],
])(
  "a line of %s that is longer than a request is an empty row, and others go on meanwhile",
  async (type, body) => {
    const rows: unknown[] = [];
    let others = 0;
    for await (const row of rowsOf(body, type, async () => (others += 1))) {
      rows.push(row);
    }
    expect(rows).toEqual([{ url: "https://a.test/" }, {}, { url: "https://b.test/" }]);
    expect(others).toBeGreaterThan(20);
  },
);

function rowsOf(text: string, type: string, giveWay: () => Promise<unknown> = async () => undefined) {
  return readRows(new Blob([text]).stream(), type, giveWay);
}

const DEEP = `{"url":"https://a.test/","rules":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;

it.each([
  ["application/x-ndjson", `${DEEP}\n{"url":"https://b.test/"}`],
  ["application/json", `[${DEEP},{"url":"https://b.test/"}]`],
  [
    "application/json",
    `${'{"data":'.repeat(20_000)}[${DEEP},{"url":"https://b.test/"}]${"}".repeat(20_000)}`,
  ],
])("a row of %s that is nested too deeply is refused, and the others are not", async (type, body) => {
  expect(await send("dryRun=true", body, type)).toMatchObject({ rows: 2, created: 1, refused: 1 });
});

describe.each([
  ["/api/v1/links/export", 'from "links"'],
  ["/api/v1/analytics/events.csv", "FROM click_events"],
])("an export of %s", (path, statement) => {
  /** Lets so many pages through, and the database fails after them. */
  const breakAfter = (pages: number) => {
    let read = 0;
    stage.endpoint.setFault(({ statements }) => {
      const isPage = statements.some(({ query }) => new RegExp(statement).test(query));
      read += isPage ? 1 : 0;
      return isPage && read > pages ? { kind: "reset" } : null;
    });
  };
  const download = async () => {
    const caller = await stage.addKey(workspace, ["admin"]);
    const response = await stage.app.request(path, { headers: { authorization: `Bearer ${caller}` } });
    return { response, text: response.text() };
  };

  beforeEach(async () => {
    await stage.client.query(
      `INSERT INTO links (id, workspace_id, domain_id, slug, url, record)
       SELECT gen_random_uuid(), $1, $2, 'e' || n, 'https://example.com/', '{}' FROM generate_series(1, 2001) AS n`,
      [workspace.id, workspace.domainId],
    );
    await stage.client.query(
      `INSERT INTO click_events (event_id, clicked_at, link_id, link_version, workspace_id, domain_id, source, class)
       SELECT gen_random_uuid(), now() - n * interval '1 second', $1, 1, $1, $2, 'link', 'human'
       FROM generate_series(1, 2001) AS n`,
      [workspace.id, workspace.domainId],
    );
  });

  afterEach(() => stage.endpoint.setFault(null));

  it("is whole when it ends properly", async () => {
    const { response, text } = await download();
    expect([response.status, (await text).trimEnd().split("\r\n").length]).toEqual([200, 2_002]);
  });

  it("that fails half-way is aborted, never ended as if it were whole", async () => {
    stage.log.length = 0;
    breakAfter(1);
    const { response, text } = await download();
    expect(response.status).toBe(200);
    await expect(text).rejects.toBeInstanceOf(Error);
    const requestId = response.headers.get("x-request-id");
    expect(stage.log).toEqual([{ event: "export.aborted", requestId, reason: expect.any(String) }]);
  });

  it("ends where the rights of its reader do, and so does one of the log", async () => {
    let nowMs = Date.now();
    const app = stage.appWith({}, { nowMs: () => nowMs });
    for (const asked of [path, "/api/v1/audit-log.csv"]) {
      const caller = await stage.addKey(workspace, ["admin"]);
      const headers = { authorization: `Bearer ${caller}` };
      // Not held to the document, for which it would be read at once.
      const response = await app.fetch(new Request(new URL(asked, "http://localhost"), { headers }));
      await stage.client.query("UPDATE api_keys SET revoked_at = now() WHERE workspace_id = $1", [
        workspace.id,
      ]);
      nowMs += 2_000;
      expect(response.status).toBe(200);
      await expect(response.text()).rejects.toMatchObject({ code: "scope_missing" });
    }
  });

  it("that fails at its first page is a problem, not 200 and a broken file", async () => {
    breakAfter(0);
    const { response, text } = await download();
    expect([response.status, await text]).toEqual([503, expect.stringContaining("database_unavailable")]);
  });
});

describe("GET /api/v1/links/{linkId}/qr", () => {
  it("draws the short URL with source=qr, as SVG and as PNG alike", async () => {
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
    const { width, height, depth, data } = decode(await png.arrayBuffer());
    expect([png.headers.get("content-type"), width, height, depth]).toEqual([
      "image/png",
      wanted.size * 2,
      wanted.size * 2,
      1,
    ]);
    const pixels = Array.from({ length: width * height }, (_, at) => ({
      x: at % width,
      y: (at / width) >> 0,
    }));
    const rowBytes = Math.ceil(width / 8);
    const bitAt = ({ x, y }: (typeof pixels)[number]) =>
      ((data[y * rowBytes + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1;
    expect(pixels.map((pixel) => bitAt(pixel) === 1)).toEqual(
      pixels.map(({ x, y }) => wanted.data[y >> 1]?.[x >> 1]),
    );

    const again = await get("format=png&scale=2", { "if-none-match": png.headers.get("etag") ?? "" });
    expect(again.status).toBe(304);
  });
});
