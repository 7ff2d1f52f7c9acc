import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { LINK_SORTS } from "@hopline/core/link/link-sorts";
import { runs } from "../../../../packages/core/test/runs.ts";

const { stage, workspace, key } = await openKeyedStage("links:read", "links:write");
const domainId = `dom_${workspace.domainId.replaceAll("-", "")}`;

const LINKS = [
  {
    slug: "spring-sale",
    url: "https://shop.example.com/offers/Tulips?x=1",
    title: "Frühling",
    tags: ["mail", "2026"],
  },
  { slug: "summer", url: "https://example.com/sale", title: null, tags: ["mail"] },
  { slug: "docs", url: "https://docs.example.org/guide", title: "It's 100% O'Reilly \\ :*", tags: [] },
  { slug: "rocket", url: "https://example.net/launch", title: "Launch day", tags: ["print"] },
];

beforeAll(async () => {
  for (const body of LINKS) {
    await callApi(stage, "POST /api/v1/links", { key, body });
  }
  const stranger = await stage.addKey(await stage.addWorkspace(), ["admin"]);
  await callApi(stage, "POST /api/v1/links", { key: stranger, body: { url: "https://example.com/spring" } });
});

type Page = {
  readonly data: readonly { readonly slug: string; readonly id: string }[];
  readonly nextCursor: string | null;
  readonly code?: string;
};

async function list(query: string): Promise<readonly string[]> {
  const answer = await callApi<Page>(stage, `GET /api/v1/links?${query}`, { key });
  expect([query, answer.status]).toEqual([query, 200]);
  return answer.body.data.map(({ slug }) => slug);
}

describe("GET /api/v1/links", () => {
  it.each([
    ["", ["rocket", "docs", "summer", "spring-sale"]],
    ["sort=createdAt", ["spring-sale", "summer", "docs", "rocket"]],
    ["sort=slug", ["docs", "rocket", "spring-sale", "summer"]],
    ["tag=mail", ["summer", "spring-sale"]],
    ["tag=2026&tag=print", ["rocket", "spring-sale"]],
    ["tag.all=mail&tag.all=2026", ["spring-sale"]],
    ["tag.all=mail&tag=print&tag=2026", ["spring-sale"]],
    ["tag=none", []],
    ["search=sale", ["summer", "spring-sale"]],
    ["search=SPR", ["spring-sale"]],
    ["search=sale+mail", ["summer", "spring-sale"]],
    ["search=sale+tulip", ["spring-sale"]],
    ["search=shop.example.com%2Foffers", ["spring-sale"]],
    ["search=print", ["rocket"]],
    ["search=o'reilly", ["docs"]],
    ["search=ring", ["spring-sale"]],
    ["search=cket+aun", ["rocket"]],
    ["search=https%3A%2F%2FShop.example.com%2Foffers%2Ftulips", ["spring-sale"]],
    ["search=100%25", ["docs"]],
    ["search=sa", ["summer", "spring-sale"]],
    ["search=al", []],
    ["search=zq", []],
    ["search=%5C+%3A*+%27", ["rocket", "docs", "summer", "spring-sale"]],
    ["slug=summer", ["summer"]],
    ["slug=summer&domain=elsewhere.example", []],
    ["slug=nothing", []],
    ["url=https://example.com/sale", ["summer"]],
    ["url=+https://example.com/sale", ["summer"]],
    ["url=https://example.com/sal", []],
    ["url=nothing", []],
    ["folder=fld_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f", []],
    ["folder=nothing", []],
    ["folder=none&tag=mail", ["summer", "spring-sale"]],
    ["id=lnk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f&id=nothing", []],
    ["search=+", ["rocket", "docs", "summer", "spring-sale"]],
    ["status=archived", []],
    ["createdFrom=2099-01-01T00:00:00Z", []],
    ["createdBefore=2099-01-01T00:00:00%2B02:00&tag=print", ["rocket"]],
    ["domain=elsewhere.example", []],
  ])("with %j answers %j", async (query, slugs) => {
    expect(await list(query)).toEqual(slugs);
  });

  it("leaves archived links out unless the status is asked for", async () => {
    const { body: link } = await callApi<{ id: string }>(stage, "POST /api/v1/links", {
      key,
      body: { url: "https://example.com/", slug: "old", externalId: "old" },
    });
    await callApi(stage, `PATCH /api/v1/links/${link.id}`, { key, body: { status: "archived" } });
    expect(await list("externalId=old")).toEqual([]);
    expect(await list("status=archived")).toEqual(["old"]);
    expect(await list("status=archived&status=live&sort=slug")).toEqual([
      "docs",
      "old",
      "rocket",
      "spring-sale",
      "summer",
    ]);
  });

  it("shows each link once, in every order", async () => {
    await stage.client.query(`
      UPDATE link_totals SET human = 5, total = 7, last_clicked_at = now()
      FROM links WHERE links.id = link_id AND slug IN ('rocket', 'docs')`);
    for (const sort of LINK_SORTS) {
      const all = await list(`sort=${sort}`);
      const seen: string[] = [];
      let cursor: string | null = "";
      while (cursor !== null) {
        const next: string = cursor === "" ? "" : `&cursor=${cursor}`;
        const page: { body: Page } = await callApi<Page>(
          stage,
          `GET /api/v1/links?sort=${sort}&limit=1${next}`,
          { key },
        );
        seen.push(...page.body.data.map(({ slug }) => slug));
        cursor = page.body.nextCursor;
      }
      expect(seen).toEqual(all);
    }
  });

  it("tells each page exactly in the order of clicks, although pages are cut by counts that may be a tenth behind", async () => {
    await stage.client.query("UPDATE link_totals SET human = 1200, total = 1200");
    await stage.client.query(`
      UPDATE link_totals SET human = 1290 - ordered.number, total = 1290, last_clicked_at = DEFAULT
      FROM (SELECT id, row_number() OVER (ORDER BY id) AS number FROM links) AS ordered WHERE ordered.id = link_id`);
    type Page = {
      readonly data: readonly { readonly clicks: { readonly human: number } }[];
      readonly nextCursor: string | null;
    };
    const page = async (query: string) => {
      const { body } = await callApi<Page>(stage, `GET /api/v1/links?sort=-clicks&${query}`, { key });
      return { clicks: body.data.map(({ clicks }) => clicks.human), nextCursor: body.nextCursor };
    };
    const descending = (clicks: readonly number[]) => clicks.toSorted((one, other) => other - one);
    const { clicks: all } = await page("limit=100");
    expect(all).toEqual(descending(all));
    const first = await page("limit=2");
    const second = await page(`limit=2&cursor=${first.nextCursor}`);
    expect(first.clicks).toEqual(descending(first.clicks));
    expect(second.clicks).toEqual(descending(second.clicks));
    expect(new Set([...first.clicks, ...second.clicks]).size).toBe(4);
  });

  it("sorts by human clicks and by the last click, with links that were never clicked at one end", async () => {
    await stage.client.query("UPDATE link_totals SET human = 0, total = 0, last_clicked_at = DEFAULT");
    await stage.client.query(`
      UPDATE link_totals SET human = 9, total = 9, last_clicked_at = '2026-01-01'
      FROM links WHERE links.id = link_id AND slug = 'docs'`);
    await stage.client.query(`
      UPDATE link_totals SET human = 3, total = 30, last_clicked_at = '2026-02-01'
      FROM links WHERE links.id = link_id AND slug = 'summer'`);
    expect((await list("sort=-clicks")).slice(0, 2)).toEqual(["docs", "summer"]);
    expect((await list("sort=clicks")).slice(-2)).toEqual(["summer", "docs"]);
    expect((await list("sort=-lastClickedAt")).slice(0, 2)).toEqual(["summer", "docs"]);
    expect((await list("sort=lastClickedAt&tag=mail")).slice(-2)).toEqual(["spring-sale", "summer"]);
    const { body } = await callApi<{ data: readonly { slug: string; lastClickedAt: string | null }[] }>(
      stage,
      "GET /api/v1/links?sort=-lastClickedAt",
      { key },
    );
    expect(body.data.map(({ lastClickedAt }) => lastClickedAt)).toEqual([
      "2026-02-01T00:00:00.000Z",
      "2026-01-01T00:00:00.000Z",
      null,
      null,
    ]);
  });

  it("finds a link by a former slug, and not once the alias is released", async () => {
    const body = { url: "https://example.com/moved", slug: "before", domain: domainId };
    const { body: link } = await callApi<{ id: string }>(stage, "POST /api/v1/links", { key, body });
    await callApi(stage, `PATCH /api/v1/links/${link.id}`, { key, body: { slug: "after" } });
    expect(await list("slug=before")).toEqual(["after"]);
    expect(await list(`slug=before&domain=${workspace.host}`)).toEqual(["after"]);
    expect(await list(`slug=before&domain=${domainId}`)).toEqual(["after"]);
    await callApi(stage, `DELETE /api/v1/links/${link.id}/aliases/before`, { key });
    expect(await list("slug=before")).toEqual([]);
    await callApi(stage, `DELETE /api/v1/links/${link.id}`, { key });
  });

  it("counts what it lists", async () => {
    for (const [query, links] of [
      ["", 4],
      ["tag=mail", 2],
      ["search=sale&tag=2026", 1],
      ["status=archived", 1],
      ["domain=elsewhere.example", 0],
      [`domain=${domainId}`, 4],
    ] as const) {
      const { body } = await callApi(stage, `GET /api/v1/links/count?${query}`, { key });
      expect([query, body]).toEqual([query, { links, isExact: true }]);
    }
  });

  it("refuses the cursor of another order", async () => {
    const { body } = await callApi<Page>(stage, "GET /api/v1/links?limit=1&sort=slug", { key });
    const other = await callApi<Page>(stage, `GET /api/v1/links?limit=1&cursor=${body.nextCursor}`, { key });
    expect(other).toMatchObject({ status: 422, body: { code: "cursor_invalid" } });
  });

  it("answers any search", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 40 }), async (search) => {
        const answer = await callApi<Page>(
          stage,
          `GET /api/v1/links?search=${encodeURIComponent(search.toWellFormed())}`,
          { key },
        );
        expect(answer.status === 200 || answer.body.code === "invalid").toBe(true);
      }),
      runs(100),
    );
  });
});

describe("GET /api/v1/links/available", () => {
  it("says whether a new link may have the slug, on the domain that it would get", async () => {
    for (const [query, available] of [
      ["slug=summer", false],
      [`slug=summer&domain=${workspace.host}`, false],
      [`slug=summer&domain=${domainId}`, false],
      ["slug=Summer", true],
      ["slug=free", true],
    ] as const) {
      const { body } = await callApi(stage, `GET /api/v1/links/available?${query}`, { key });
      expect([query, body]).toMatchObject([query, { available, domain: workspace.host }]);
    }
  });

  it.each([
    ["slug=free&domain=elsewhere.example", "no_domain"],
    [`slug=free&domain=dom_${"0".repeat(32)}`, "no_domain"],
    ["slug=api", "invalid"],
    ["slug=a+b", "invalid"],
    ["", "invalid"],
  ])("with %j answers %s", async (query, code) => {
    const answer = await callApi(stage, `GET /api/v1/links/available?${query}`, { key });
    expect(answer).toMatchObject({ status: 422, body: { code } });
  });
});

describe("folders", () => {
  it("are named by id or by name, and hold links until they are deleted, which the links outlive", async () => {
    const create = (name: string) =>
      callApi<{ id: string }>(stage, "POST /api/v1/folders", { key, body: { name } });
    const { body: folder } = await create("Campaign");
    expect(await create("Campaign")).toMatchObject({ status: 409, body: { code: "folder_taken" } });
    const { body: link } = await callApi<{ id: string }>(stage, "POST /api/v1/links", {
      key,
      body: { url: "https://example.com/", slug: "inside", folder: "Campaign" },
    });
    expect(link).toMatchObject({ folderId: folder.id });
    expect(await list(`folder=${folder.id}&sort=-clicks`)).toEqual(["inside"]);
    expect(await list("folder=Campaign")).toEqual(["inside"]);
    expect(
      await callApi(stage, `PATCH /api/v1/folders/${folder.id}`, { key, body: { name: "Old" } }),
    ).toMatchObject({
      body: { id: folder.id, name: "Old" },
    });
    const read = (headers = {}) => callApi(stage, `GET /api/v1/links/${link.id}`, { key, headers });
    const tag = (await read()).headers.get("etag") ?? "";
    expect((await read({ "if-none-match": tag })).status).toBe(304);
    await callApi(stage, `DELETE /api/v1/folders/${folder.id}`, { key });
    expect(await list(`folder=${folder.id}`)).toEqual([]);
    expect(await list("folder=Old")).toEqual([]);
    // A client that has it in its folder is not told that its copy is current.
    expect(await read({ "if-none-match": tag })).toMatchObject({ status: 200, body: { folderId: null } });
    expect((await create("Old")).status).toBe(201);
    await callApi(stage, `DELETE /api/v1/links/${link.id}`, { key });
  });

  it("take no links of another workspace, and give none away", async () => {
    const other = await stage.addKey(await stage.addWorkspace(), ["admin"]);
    const { body: theirs } = await callApi<{ id: string }>(stage, "POST /api/v1/folders", {
      key: other,
      body: { name: "Theirs" },
    });
    const body = { url: "https://example.com/", folder: theirs.id };
    expect(await callApi(stage, "POST /api/v1/links", { key, body })).toMatchObject({
      status: 422,
      body: { errors: [{ path: "folder" }] },
    });
    const [first] = (await callApi<Page>(stage, "GET /api/v1/links", { key })).body.data;
    const moved = await callApi(stage, `PATCH /api/v1/links/${first?.id}`, {
      key,
      body: { folder: theirs.id },
    });
    expect(moved).toMatchObject({ status: 422, body: { errors: [{ path: "folder" }] } });
  });
});
