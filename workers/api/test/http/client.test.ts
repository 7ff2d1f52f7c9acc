import { expect, expectTypeOf, it } from "vitest";
import { type ApiClient, createApiClient } from "../../src/client.ts";
import type { ProblemCode } from "../../src/http/problem.ts";
import { openKeyedStage } from "../keyed-stage.ts";

const { stage, key } = await openKeyedStage("admin");
const client: ApiClient = createApiClient({
  baseUrl: "https://go.example.com",
  key,
  fetch: async (input, init) => stage.app.request(new Request(input, init)),
});

it("creates, reads, changes, lists and deletes a link with types from the routes", async () => {
  const { links } = client.api.v1;
  const created = await links.$post({ json: { url: "https://example.com/", tags: ["a"] }, header: {} });
  if (created.status !== 201) {
    throw new Error(`answered ${created.status}`);
  }
  const { id: linkId, slug } = await created.json();
  const changed = await links[":linkId"].$patch({ param: { linkId }, json: { title: "Title" }, header: {} });
  expect(changed.status === 200 && (await changed.json()).title).toBe("Title");
  const listed = await links.$get({ query: { tag: ["a"], sort: "slug" } });
  expect(listed.status === 200 && (await listed.json()).data.map((link) => link.slug)).toEqual([slug]);
  expect((await links[":linkId"].$delete({ param: { linkId }, query: {}, header: {} })).status).toBe(204);
  const gone = await links[":linkId"].$get({ param: { linkId } });
  if (gone.status !== 404) {
    throw new Error(`answered ${gone.status}`);
  }
  const { code } = await gone.json();
  expectTypeOf(code).toEqualTypeOf<ProblemCode>();
  expect(code).toBe("not_found");
});

it("makes a wrong path, field, value or answer a type error", async () => {
  const { links } = client.api.v1;
  // Compiled, never called: `tsc` fails if one of these lines is not an error.
  const _wrong = () => [
    // @ts-expect-error no such route
    client.api.v1.lnks,
    // @ts-expect-error the URL is required
    links.$post({ json: { title: "x" }, header: {} }),
    // @ts-expect-error no such field
    links.$post({ json: { url: "https://example.com/", ulr: "x" }, header: {} }),
    // @ts-expect-error 200 is not a redirect
    links.$post({ json: { url: "https://example.com/", redirectStatus: 200 }, header: {} }),
    // @ts-expect-error no such status
    links[":linkId"].$patch({ param: { linkId: "lnk_1" }, json: { status: "gone" }, header: {} }),
    // @ts-expect-error the id is missing
    links[":linkId"].$get({}),
  ];
  const response = await links.$post({ json: { url: "https://example.com/" }, header: {} });
  if (response.status !== 201) {
    throw new Error(`answered ${response.status}`);
  }
  const link = await response.json();
  expectTypeOf(link.version).toEqualTypeOf<number>();
  expectTypeOf(link.title).toEqualTypeOf<string | null>();
  expectTypeOf(link).not.toHaveProperty("passwordHash");
  expect([link.version, link.title]).toEqual([1, null]);
});
