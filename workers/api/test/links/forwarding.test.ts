/** Links that forward what follows their slug, and slugs with parts: from the API to what the edge reads. */
import { decodeDomainRecord, domainKeyOf, MAX_FORWARDS } from "@hopline/core/link/domain-record";
import { expect, it } from "vitest";
import type { CreateLink, Link } from "@hopline/client/openapi";
import { openKeyedStage } from "../keyed-stage.ts";
import { clientOf, statusOf } from "../stage-client.ts";

const { stage, workspace, key } = await openKeyedStage("admin", "links:read", "links:write");
const hopline = clientOf(stage, key);

const create = (slug: string, body: Partial<CreateLink> = {}) =>
  hopline.createLink({ body: { url: "https://example.com/manual/*", slug, ...body } });
const remove = ({ id }: Link) => hopline.deleteLink({ linkId: id });
const domainKey = domainKeyOf(workspace.host);

/** The domain as it was announced, and as KV has it once that was written. */
function atEdge() {
  const announced = stage.edge.inFeed.get(domainKey)?.recordText ?? "";
  const domain = decodeDomainRecord(announced);
  return domain.ok ? { ...domain.value, isInKv: stage.edge.inKv.get(domainKey) === announced } : null;
}

it("a forwarding link is published with the domain's list of them, and leaves it when it ends, moves or returns", async () => {
  const link = await create("docs/*");
  expect(link).toMatchObject({ slug: "docs/*", shortUrl: `https://${workspace.host}/docs` });
  expect(stage.edge.recordAt(workspace.host, "docs/*")).toMatchObject({
    url: "https://example.com/manual/*",
    isFilled: true,
  });
  expect(atEdge()).toMatchObject({ forwards: ["docs"], isInKv: true });

  // An edit is the link's alone, and a plain link's none of the domain's.
  const writes = stage.edge.writes.length;
  await hopline.updateLink({ linkId: link.id, body: { url: "https://example.com/other/*" } });
  await create("docs/exact");
  expect(stage.edge.writes.slice(writes).map((write) => write.key)).toEqual([
    `${workspace.host}/docs/*`,
    `${workspace.host}/docs/exact`,
  ]);

  // The former slug is an alias, and goes on forwarding until it is released.
  await hopline.updateLink({ linkId: link.id, body: { slug: "guide/v1.2/*" } });
  expect(atEdge()?.forwards).toEqual(["docs", "guide/v1.2"]);
  await hopline.deleteAlias({ linkId: link.id, alias: "docs/*" });
  expect(atEdge()?.forwards).toEqual(["guide/v1.2"]);
  await remove(link);
  expect(atEdge()?.forwards).toBeUndefined();
  await hopline.restoreLinks({ body: { items: [{ id: link.id }] } });
  expect(atEdge()?.forwards).toEqual(["guide/v1.2"]);
  await hopline.updateDomain({
    domainId: (await hopline.readLink({ linkId: link.id })).domainId,
    body: { title: "Ours" },
  });
  expect(atEdge()).toMatchObject({ forwards: ["guide/v1.2"], title: "Ours", isInKv: true });
  await remove(link);
});

it("ten forwarding links that are made and removed at the same moment are all in the list, or none", async () => {
  const slugs = Array.from({ length: 10 }, (_, number) => `at-once-${number}/*`);
  const links = await Promise.all(slugs.map((slug) => create(slug)));
  expect(atEdge()?.forwards).toEqual(slugs.map((slug) => slug.slice(0, -2)));
  await Promise.all(links.map(remove));
  expect(atEdge()?.forwards).toBeUndefined();
});

it("resolve says where a rest leads, with what the visitor brings, and that a step up leads nowhere", async () => {
  const url = "https://example.com/{country}/*?q={query.q}&first={1}";
  const link = await create("explained/*", { url });
  const resolve = (path: string) =>
    hopline.resolveLink({ linkId: link.id, body: { path, query: "q=a%20b", country: "CH" } });
  expect(await resolve("x/y")).toMatchObject({
    outcome: "redirect",
    location: "https://example.com/CH/x/y?q=a%20b&first=x",
  });
  expect(await resolve("../y")).toMatchObject({ outcome: "unknown", status: 404, location: null });
  await remove(link);
});

it("resolve says which alias the visitor comes through, and forwards what follows as that address does", async () => {
  const link = await create("former/*");
  const { id: linkId } = link;
  await hopline.updateLink({ linkId, body: { slug: "present" } });
  const resolve = (alias: string | null) => hopline.resolveLink({ linkId, body: { alias, path: "x" } });
  const to = "https://example.com/manual/";
  expect(await resolve("former/*")).toMatchObject({ alias: "former/*", location: `${to}x` });
  expect(await resolve(null)).toMatchObject({ alias: null, location: to });
  await expect(resolve("present")).rejects.toThrow("422 invalid: alias is no alias of this link");
  await remove(link);
});

it(`a domain has at most ${MAX_FORWARDS} of them: of a file, of a list and of one, what is too much is refused`, async () => {
  const rows = Array.from(
    { length: MAX_FORWARDS + 1 },
    (_, number) => `many-${number}/*,https://example.com/*`,
  );
  const file = new Blob([["slug,url", ...rows].join("\n")], { type: "text/csv" });
  const report = await hopline.importLinks({ body: file });
  expect(report).toMatchObject({ created: MAX_FORWARDS, refused: 1 });
  expect(report.refusals[0]).toMatchObject({ slug: `many-${MAX_FORWARDS}/*`, code: "invalid" });
  const many = await hopline.createLinks({
    body: { items: ["plain", "two-more/*"].map((slug) => ({ url: "https://example.com/", slug })) },
  });
  expect(many.results.map(({ status }) => status)).toEqual([201, 422]);
  expect(atEdge()?.forwards).toHaveLength(MAX_FORWARDS);
  expect(await statusOf(create("one-more/*"))).toBe(422);
  const { id } = await create("renamed");
  expect(await statusOf(hopline.updateLink({ linkId: id, body: { slug: "one-more/*" } }))).toBe(422);
  expect(await hopline.readLink({ linkId: id })).toMatchObject({ slug: "renamed" });
});

it.each(["docs//a", "/docs", ".git/config", "a/../b", "*", "/*", "api/v1", "API", "robots.txt", "cdn-cgi/x"])(
  "the slug %s is refused",
  async (slug) => {
    expect(await statusOf(create(slug))).toBe(422);
  },
);

it("a slug that makes no key of KV is refused, also where it is changed", async () => {
  expect(await statusOf(create("🚀".repeat(128)))).toBe(422);
  const { id } = await create("fits/a.b~c+d");
  expect(await statusOf(hopline.updateLink({ linkId: id, body: { slug: "🚀".repeat(128) } }))).toBe(422);
  expect(await hopline.readLink({ linkId: id })).toMatchObject({
    shortUrl: `https://${workspace.host}/fits/a.b~c+d`,
  });
});

it.each(["https://{query.host}/", "https://example.com{path}", "https://{country}.example.com/a"])(
  "the destination %s is refused: a visitor would choose the host",
  async (url) => {
    expect(await statusOf(create("hostile", { url }))).toBe(422);
    const rules = [{ id: "r", when: { country: ["CH"] }, to: { url } }];
    expect(await statusOf(create("hostile", { url: "https://example.com/", rules }))).toBe(422);
  },
);
