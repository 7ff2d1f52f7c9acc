/** Links that are exported and imported again are the same, here in another workspace and on another domain. */
import { linkKeyOf } from "@hopline/core/link/link-address";
import { beforeAll, describe, expect, it } from "vitest";
import { endUsedUp } from "../../src/links/end-used-up.ts";
import { callApi } from "../call-api.ts";
import { toUuid } from "../to-uuid.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { downloadFile, sendFile } from "./send-file.ts";

const { stage, workspace: from, key: fromKey } = await openKeyedStage("links:read", "links:write");
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

/** Fields that are not imported: identity and history. */
const OWN = ["id", "domain", "domainId", "shortUrl", "version", "updatedAt", "aliases", "clicks"];

describe.each([
  ["jsonl", "application/x-ndjson"],
  ["csv", "text/csv"],
])("a file of %s", (format, type) => {
  it("gives the same links, with rules, limits and uses, but without passwords", async () => {
    const { key, host } = await moveAll(format, type);
    const [before, after] = [await list(fromKey), await list(key)];
    expect(after.map(withoutOwn)).toEqual(
      before
        .map(withoutOwn)
        .map((link) =>
          link["hasPassword"] === true ? { ...link, hasPassword: false, status: "disabled" } : link,
        ),
    );
    // The edge finds them in the database, compiled like the originals.
    const compiled = ["plain", "clever", "used-up", "put-away"];
    for (const slug of compiled) {
      expect(await recordOf(host, slug)).toEqual(await recordOf(from.host, slug));
    }
    expect(await recordOf(host, "used-up")).toMatchObject({ cap: { mode: "fast", used: true } });
  });

  it("warns about a link that had a password, and imports it disabled", async () => {
    const { host, warnings } = await moveAll(format, type);
    expect(warnings).toMatchObject([
      { slug: "locked", message: expect.stringMatching(/password.*disabled/) },
    ]);
    expect(await recordOf(host, "locked")).toMatchObject({ state: "disabled" });
  });
});

it("a link goes back into its folder, and in a workspace without it into none, with a warning", async () => {
  const { body: folder } = await callApi<{ id: string }>(stage, "POST /api/v1/folders", {
    key: fromKey,
    body: { name: "Away and back" },
  });
  const body = { url, slug: "filed", folder: folder.id };
  const { body: link } = await callApi<{ id: string }>(stage, "POST /api/v1/links", { key: fromKey, body });
  const file = await downloadFile(stage, fromKey, `format=csv&folder=${folder.id}`);
  await stage.client.query("DELETE FROM links WHERE id = $1", [toUuid(link.id)]);
  const here = await sendFile(stage, fromKey, { body: file, type: "text/csv" });
  expect([here.created, here.warnings]).toEqual([1, []]);
  const inFolder = `GET /api/v1/links?folder=${folder.id}`;
  const { data } = (await callApi<{ data: { id: string }[] }>(stage, inFolder, { key: fromKey })).body;
  expect(data).toMatchObject([{ slug: "filed" }]);
  await callApi(stage, `DELETE /api/v1/links/${data[0]?.id}`, { key: fromKey });
  const elsewhere = await stage.addWorkspace();
  const key = await stage.addKey(elsewhere, ["links:read", "links:write"]);
  const there = await sendFile(stage, key, {
    query: `domain=${elsewhere.host}`,
    body: file,
    type: "text/csv",
  });
  expect([there.created, there.warnings]).toMatchObject([
    1,
    [{ slug: "filed", message: expect.stringContaining("folder") }],
  ]);
  expect(await list(key)).toMatchObject([{ slug: "filed", folderId: null }]);
});

it("a row with an invalid field is refused, by the field's name", async () => {
  const workspace = await stage.addWorkspace();
  const key = await stage.addKey(workspace, ["links:write"]);
  const rows = [
    { slug: "a", url, rules: [{ id: "r", when: { country: ["XX"] }, to: { block: true } }] },
    { slug: "b", url, cap: { mode: "strict", maxClicks: 0 } },
    { slug: "c", url, openGraph: "{" },
    { slug: "d", url: "javascript:alert(1)" },
  ];
  const body = rows.map((row) => JSON.stringify(row)).join("\n");
  const report = await sendFile(stage, key, { body, type: "application/x-ndjson" });
  expect(report.refusals.map(({ row, errors }) => [row, errors[0]?.path])).toEqual([
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
])("another product's link with a password (%s) is not open to everyone: %j", async (format, row) => {
  const workspace = await stage.addWorkspace();
  const key = await stage.addKey(workspace, ["links:read", "links:write"]);
  const report = await sendFile(stage, key, {
    query: `format=${format}`,
    body: JSON.stringify([row]),
    type: "application/json",
  });
  const isLocked = row.password !== false;
  expect([report.created, report.warnings.length]).toEqual([1, isLocked ? 1 : 0]);
  expect((await list(key))[0]).toMatchObject({ status: isLocked ? "disabled" : "live" });
});

async function moveAll(format: string, type: string) {
  const { host, id } = await stage.addWorkspace();
  const key = await stage.addKey({ id, host, domainId: id }, ["links:read", "links:write"]);
  const move = async (filter: string) => {
    const body = await downloadFile(stage, fromKey, `format=${format}${filter}`);
    return sendFile(stage, key, { query: `domain=${host}`, body, type });
  };
  const [listed, archived] = [await move(""), await move("&status=archived")];
  expect([listed.created, listed.refused, archived.created, archived.refused]).toEqual([8, 0, 1, 0]);
  return { key, host, warnings: listed.warnings };
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

/** As the edge reads it, without what differs between the two. */
async function recordOf(host: string, slug: string): Promise<object> {
  const { rows } = await stage.client.query<{ record: string }>(
    "SELECT links.record FROM links JOIN domains ON domains.id = domain_id WHERE host || '/' || slug = $1",
    [linkKeyOf(host, slug)],
  );
  return { ...JSON.parse(rows[0]?.record ?? "{}"), link: "", version: 0 };
}
