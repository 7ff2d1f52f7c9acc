import { expect, it } from "vitest";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";

const { stage, workspace, key } = await openKeyedStage("links:read", "links:write");

type Link = {
  readonly id: string;
  readonly slug: string;
  readonly title: string | null;
  readonly tags: readonly string[];
  readonly status: string;
  readonly version: number;
};
type Result = {
  readonly status: number;
  readonly link?: Link;
  readonly code?: string;
  readonly errors?: readonly { readonly path: string }[];
};
type Answer = {
  readonly updated?: number;
  readonly deleted?: number;
  readonly results: readonly Result[];
  readonly code?: string;
};

async function create(count: number, fields: object = {}): Promise<readonly Link[]> {
  const items = Array.from({ length: count }, (_, index) => ({
    url: `https://example.com/${index}`,
    ...fields,
  }));
  const { body } = await callApi<Answer>(stage, "POST /api/v1/links/bulk", { key, body: { items } });
  return body.results.flatMap(({ link }) => link ?? []);
}

const update = (items: readonly object[], headers: Readonly<Record<string, string>> = {}) =>
  callApi<Answer>(stage, "POST /api/v1/links/bulk/update", { key, body: { items }, headers });
const remove = (items: readonly object[]) =>
  callApi<Answer>(stage, "POST /api/v1/links/bulk/delete", { key, body: { items } });
const statusesOf = ({ body }: { readonly body: Answer }) =>
  body.results.map(({ status, code }) => code ?? status);
const inKv = ({ slug }: Link) => stage.edge.recordAt(workspace.host, slug);

it("changes 250 links in a few requests to the database, and publishes all of them", async () => {
  const links = await create(250, { tags: ["old", "kept"] });
  let requests = 0;
  stage.endpoint.setFault(() => {
    requests += 1;
    return null;
  });
  const answer = await update(
    links.map(({ id }) => ({ id, addTags: ["new"], removeTags: ["old"], status: "disabled" })),
  );
  stage.endpoint.setFault(null);
  expect(answer.body.updated).toBe(250);
  // Key, links, three slices of two each (the write, and the end of its publishing), the links again.
  expect(requests).toBe(9);
  expect(answer.body.results.map(({ link }) => link?.id)).toEqual(links.map(({ id }) => id));
  for (const { status, link } of answer.body.results) {
    expect({ status, link }).toMatchObject({
      status: 200,
      link: { tags: ["kept", "new"], status: "disabled", version: 2 },
    });
  }
  for (const link of links) {
    expect(inKv(link)).toMatchObject({ version: 2, state: "disabled" });
  }
});

it("answers each item on its own: what is wrong with one holds no other up", async () => {
  const [one, two, three, four, five] = await create(5);
  const stranger = await stage.addKey(await stage.addWorkspace(), ["admin"]);
  const theirs = await callApi<Link>(stage, "POST /api/v1/links", {
    key: stranger,
    body: { url: "https://example.com/" },
  });
  const answer = await update([
    { id: one?.id, title: "one" },
    { id: two?.id, slug: three?.slug },
    { id: three?.id, version: 7, title: "three" },
    { id: four?.id, version: 1, title: "four" },
    { id: four?.id, title: "again" },
    { id: five?.id, url: "nonsense" },
    { id: theirs.body.id, title: "theirs" },
    { id: "nonsense", title: "nobody's" },
    { id: five?.id, status: "expired" },
  ]);
  expect(statusesOf(answer)).toEqual([
    200,
    "slug_taken",
    "version_mismatch",
    200,
    "invalid",
    "invalid",
    "not_found",
    "not_found",
    "invalid",
  ]);
  expect(answer.body.updated).toBe(2);
  expect(answer.body.results[0]?.link?.title).toBe("one");
  expect(answer.body.results[4]?.errors).toMatchObject([{ path: "id" }]);
});

it("writes the other links of a slice when one cannot be written for its new slug, in few requests", async () => {
  const links = await create(100);
  const taken = links[0]?.slug;
  let requests = 0;
  stage.endpoint.setFault(() => {
    requests += 1;
    return null;
  });
  const answer = await update(
    links.map(({ id }, index) => (index === 90 ? { id, slug: taken } : { id, title: "new" })),
  );
  stage.endpoint.setFault(null);
  expect(answer.body.updated).toBe(99);
  expect(statusesOf(answer)[90]).toBe("slug_taken");
  // Changed one by one, they were some 300.
  expect(requests).toBeLessThan(40);
});

it("changes nothing of a link that has another version than the item names", async () => {
  const [link] = await create(1);
  const id = link?.id;
  await callApi(stage, `PATCH /api/v1/links/${id}`, { key, body: { title: "first" } });
  expect(statusesOf(await update([{ id, version: 1, title: "second" }]))).toEqual(["version_mismatch"]);
  expect(statusesOf(await update([{ id, version: 2, title: "second" }]))).toEqual([200]);
});

it("answers a repeated request with what the first one did", async () => {
  const [link] = await create(1);
  const items = [{ id: link?.id, version: 1, title: "once" }];
  const headers = { "idempotency-key": "bulk-1" };
  expect(statusesOf(await update(items, headers))).toEqual([200]);
  const again = await update(items, headers);
  expect(statusesOf(again)).toEqual([200]);
  expect(again.body.results[0]?.link?.version).toBe(2);
});

it("deletes many, and answers the same for those that were deleted before", async () => {
  const links = await create(120);
  const [first] = links;
  const items = links.map(({ id }) => ({ id }));
  expect(statusesOf(await remove([{ id: first?.id, version: 9 }]))).toEqual(["version_mismatch"]);
  const answer = await remove([...items, { id: "lnk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }]);
  expect(answer.body.deleted).toBe(120);
  expect(statusesOf(answer)).toEqual([...links.map(() => 204), "not_found"]);
  for (const link of links) {
    expect(inKv(link)).toMatchObject({ version: 2, state: "deleted" });
  }
  const again = await remove(items);
  expect(again.body.deleted).toBe(0);
  expect(statusesOf(again)).toEqual(links.map(() => 204));
});

it("refuses more than 500 items", async () => {
  const items = Array.from({ length: 501 }, () => ({ id: "lnk_0198f3c2a1b27c3d8e4f5a6b7c8d9e0f" }));
  expect(await update(items)).toMatchObject({ status: 422, body: { code: "invalid" } });
});
