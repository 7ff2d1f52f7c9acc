/** What is exported and imported again is the same link: here into another workspace, on another domain. */
import { linkKeyOf } from "@hopline/core/link/link-address";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endUsedUp } from "../../src/links/end-used-up.ts";
import { callApi } from "../call-api.ts";
import { openStage, type Stage, type Workspace } from "../stage.ts";

let stage: Stage;
let from: Workspace;
let fromKey: string;
const url = "https://example.com/";

const LINKS: readonly (Readonly<Record<string, unknown>> & { readonly status?: string })[] = [
  { slug: "plain", url },
  { slug: "many-tags", url, tags: ["a, b", "c|d; e", '"f"', "=g"] },
  { slug: "odd-tag", url, tags: ['["h"]'] },
  { slug: "odd-tags", url, tags: ["=i", "[j]"] },
  {
    slug: "clever",
    url: `${url}?a=1#f`,
    title: '=1+1, "quoted"\nin two lines',
    tags: ["a", "b"],
    externalId: "p-1",
    redirectStatus: 308,
    rules: [
      { id: "ios", when: { os: ["iOS"] }, to: { url: `${url}ios` } },
      { id: "night", when: { time: { zone: "Europe/Berlin", days: ["sat"] } }, to: { block: true } },
    ],
    split: [{ id: "b", url: `${url}b`, weight: 2 }],
    next: { url: `${url}next`, activateAt: "2030-01-01T00:00:00Z" },
    startsAt: "2026-01-01T00:00:00.000Z",
    expiresAt: "2031-01-01T00:00:00.000Z",
    expiredUrl: `${url}over`,
    cap: { mode: "strict", maxClicks: 10 },
    forwardQuery: "visitor-wins",
    utm: { source: "poster, one" },
    openGraph: { title: "Spring <\"'>", description: "All\nof it" },
  },
  { slug: "used-up", url, cap: { mode: "fast", maxClicks: 5 } },
  { slug: "resting", url, status: "disabled" },
  { slug: "put-away", url, utm: { medium: "mail" }, status: "archived" },
  { slug: "locked", url, password: "open sesame" },
];

beforeAll(async () => {
  stage = await openStage();
  from = await stage.addWorkspace();
  fromKey = await stage.addKey(from, ["links:read", "links:write"]);
  for (const { status, ...body } of LINKS) {
    const { id } = (await callApi<{ id: string }>(stage, "POST /api/v1/links", { key: fromKey, body })).body;
    if (status !== undefined) {
      await callApi(stage, `PATCH /api/v1/links/${id}`, { key: fromKey, body: { status } });
    }
  }
  await stage.client.query(
    "UPDATE link_caps SET used = 5 FROM links WHERE id = link_id AND slug = 'used-up'",
  );
  await endUsedUp(stage);
  await stage.client.query("UPDATE link_caps SET used = 3 FROM links WHERE id = link_id AND slug = 'clever'");
});

afterAll(() => stage.close());

/** Fields that no file can carry over: who the link is there, and what happened to it. */
const OWN = ["id", "domain", "shortUrl", "version", "updatedAt", "previousSlugs", "clicks"];

describe.each([
  ["jsonl", "application/x-ndjson"],
  ["csv", "text/csv"],
])("a file of %s", (format, type) => {
  it("gives the same links again, with rules, limits and uses, but without passwords", async () => {
    const { key, host } = await moveAll(format, type);
    const [before, after] = [await list(fromKey), await list(key)];
    expect(after.map(withoutOwn)).toEqual(
      before
        .map(withoutOwn)
        .map((link) =>
          link["hasPassword"] === true ? { ...link, hasPassword: false, status: "disabled" } : link,
        ),
    );
    // The edge finds them in the database; what it finds is compiled as that of the first one.
    const compiled = ["plain", "clever", "used-up", "put-away"];
    for (const slug of compiled) {
      expect(await recordOf(host, slug)).toEqual(await recordOf(from.host, slug));
    }
    expect(await recordOf(host, "used-up")).toMatchObject({ cap: { mode: "fast", used: true } });
  });

  it("says which link had a password, and leaves it switched off rather than open", async () => {
    const { host, warnings } = await moveAll(format, type);
    expect(warnings).toMatchObject([
      { slug: "locked", message: expect.stringMatching(/password.*disabled/) },
    ]);
    expect(await recordOf(host, "locked")).toMatchObject({ state: "disabled" });
  });
});

it("a field that can't be read refuses its row, by name", async () => {
  const workspace = await stage.addWorkspace();
  const key = await stage.addKey(workspace, ["links:write"]);
  const rows = [
    { slug: "a", url, rules: [{ id: "r", when: { country: ["XX"] }, to: { block: true } }] },
    { slug: "b", url, cap: { mode: "strict", maxClicks: 0 } },
    { slug: "c", url, openGraph: "{" },
    { slug: "d", url: "javascript:alert(1)" },
  ];
  const report = await send(
    key,
    "",
    rows.map((row) => JSON.stringify(row)).join("\n"),
    "application/x-ndjson",
  );
  expect(report.refusals?.map(({ row, errors }) => [row, errors[0]?.path])).toEqual([
    [1, "rules[0].when.country[0]"],
    [2, "cap.maxClicks"],
    [3, "openGraph"],
    [4, "url"],
  ]);
});

it.each([
  ["kutt", { address: "k", target: url, password: true }],
  ["dub", { key: "k", url, password: "secret" }],
  ["kutt", { address: "k", target: url, password: false }],
])("another product's locked link (%s) is not opened to everybody: %j", async (format, row) => {
  const workspace = await stage.addWorkspace();
  const key = await stage.addKey(workspace, ["links:read", "links:write"]);
  const report = await send(key, `format=${format}`, JSON.stringify([row]), "application/json");
  const isLocked = row.password !== false;
  expect([report.created, report.warnings?.length]).toEqual([1, isLocked ? 1 : 0]);
  expect((await list(key))[0]).toMatchObject({ status: isLocked ? "disabled" : "live" });
});

type Report = {
  readonly rows: number;
  readonly created: number;
  readonly refused: number;
  readonly refusals?: readonly {
    readonly row: number;
    readonly errors: readonly { readonly path: string }[];
  }[];
  readonly warnings?: readonly { readonly slug: string; readonly message: string }[];
};

async function moveAll(format: string, type: string) {
  const { host, id } = await stage.addWorkspace();
  const key = await stage.addKey({ id, host, domainId: id }, ["links:read", "links:write"]);
  const download = async (query: string) => {
    const headers = { authorization: `Bearer ${fromKey}` };
    const response = await stage.app.request(`/api/v1/links/export?format=${format}${query}`, { headers });
    return response.text();
  };
  const listed = await send(key, `domain=${host}`, await download(""), type);
  const archived = await send(key, `domain=${host}`, await download("&status=archived"), type);
  expect([listed.created, listed.refused, archived.created, archived.refused]).toEqual([8, 0, 1, 0]);
  return { key, host, warnings: listed.warnings };
}

async function send(key: string, query: string, body: string, type: string): Promise<Report> {
  const headers = { authorization: `Bearer ${key}`, "content-type": type };
  const response = await stage.app.request(`/api/v1/links/import?${query}`, {
    method: "POST",
    headers,
    body,
  });
  return response.json() as Promise<Report>;
}

async function list(key: string): Promise<readonly Record<string, unknown>[]> {
  const read = async (query: string) =>
    (
      await callApi<{ data: readonly Record<string, unknown>[] }>(
        stage,
        `GET /api/v1/links?sort=slug&limit=100${query}`,
        { key },
      )
    ).body.data;
  return [...(await read("")), ...(await read("&status=archived"))];
}

function withoutOwn(link: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(link).filter(([name]) => !OWN.includes(name)));
}

/** As the edge would read it, without what tells the two apart. */
async function recordOf(host: string, slug: string): Promise<object> {
  const { rows } = await stage.client.query<{ record: string }>(
    "SELECT links.record FROM links JOIN domains ON domains.id = domain_id WHERE host || '/' || slug = $1",
    [linkKeyOf(host, slug)],
  );
  return { ...JSON.parse(rows[0]?.record ?? "{}"), link: "", version: 0 };
}
