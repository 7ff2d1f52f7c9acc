import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { runs } from "../../../../packages/core/test/runs.ts";

const { stage, key } = await openKeyedStage("links:read", "links:write");

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
    ["search=%5C+%3A*+%27", []],
    ["search=pring", []],
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
    for (const sort of ["createdAt", "-createdAt", "updatedAt", "-updatedAt", "slug", "-slug"]) {
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

describe("GET /api/v1/tags", () => {
  it("counts the links of each tag, page by page", async () => {
    type Tags = {
      readonly data: readonly { readonly tag: string; readonly links: number }[];
      readonly nextCursor: string;
    };
    const first = await callApi<Tags>(stage, "GET /api/v1/tags?limit=2", { key });
    expect(first.body.data).toEqual([
      { tag: "2026", links: 1 },
      { tag: "mail", links: 2 },
    ]);
    const next = await callApi<Tags>(stage, `GET /api/v1/tags?limit=2&cursor=${first.body.nextCursor}`, {
      key,
    });
    expect(next.body).toEqual({ data: [{ tag: "print", links: 1 }], nextCursor: null });
  });
});
