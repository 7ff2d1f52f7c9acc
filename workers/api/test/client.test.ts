import { afterAll, beforeAll, expect, it } from "vitest";
import { type ApiClient, createApiClient } from "../src/client.ts";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;
let client: ApiClient;

beforeAll(async () => {
  stage = await openStage();
  client = createApiClient({
    baseUrl: "https://go.example.com",
    key: await stage.addKey(await stage.addWorkspace(), ["admin"]),
    fetch: async (input, init) => stage.app.request(new Request(input, init)),
  });
});

afterAll(() => stage.close());

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
  expect((await links[":linkId"].$delete({ param: { linkId }, header: {} })).status).toBe(204);
  const gone = await links[":linkId"].$get({ param: { linkId } });
  expect(gone.status === 404 && (await gone.json()).code).toBe("not_found");
});
