/** A workspace with links inside and outside of bounds of every kind, and callers who are bounded so. */
import { randomUUID } from "node:crypto";
import { insertClicks } from "@hopline/db/ingest/insert-clicks";
import { afterAll } from "vitest";
import { aBatch } from "../../../../packages/db/test/click-batch.ts";
import { callApi } from "../call-api.ts";
import { runSqlOf } from "../run-sql-of.ts";
import { openStage } from "../stage.ts";
import { toUuid } from "../to-uuid.ts";
import { toPublicId } from "../../src/http/entity-id.ts";
import { openBrowser } from "../people/browser.ts";
import { APP_ORIGIN } from "../people/people-stage.ts";

/** A caller and its link: the only one that exists for it, but for one in the trash. */
export type Caller = {
  readonly name: string;
  readonly headers: { readonly [name: string]: string };
  readonly linkId: string;
};

type Link = { readonly id: string; readonly slug: string };

export async function openBoundsStage() {
  const stage = await openStage();
  afterAll(() => stage.close());
  const workspace = await stage.addWorkspace();
  const admin = await stage.addKey(workspace, ["admin"]);
  const call = <Body = object>(target: string, body?: unknown, key = admin) =>
    callApi<Body>(stage, target, { key, ...(body === undefined ? {} : { body }) });
  const made = async <Body extends object = { id: string; key: string }>(
    target: string,
    body: object,
    key = admin,
  ) => (await call<Body>(target, body, key)).body;

  const inside = { host: `inside-${randomUUID()}.example.com`, folder: "Inside folder", tag: "inside-tag" };
  const outside = {
    host: workspace.host,
    folder: "Secret folder",
    tag: "secret-tag",
    slug: "secret-slug",
    externalId: "secret-external",
    title: "Secret title",
    url: "https://secret.example/",
  };
  const domain = await made("POST /api/v1/domains", { host: inside.host });
  const folder = await made("POST /api/v1/folders", { name: inside.folder });
  const secretFolder = await made("POST /api/v1/folders", { name: outside.folder });
  await made("POST /api/v1/tags", { name: inside.tag });
  const secretTag = await made("POST /api/v1/tags", { name: outside.tag, color: "#123456" });

  const SCOPES = ["links:read", "links:write", "analytics:read"];
  const addKey = (bounds: object) => made("POST /api/v1/keys", { name: "Bounded", scopes: SCOPES, bounds });

  let batches = 0;
  /** As the consumer counts them. */
  const addClicks = (id: string, count: number, [country, utmSource]: readonly [string, string]) => {
    batches += 1;
    const batch = aBatch([
      {
        isolateId: `0b0d${batches.toString(16).padStart(12, "0")}`,
        count,
        row: (number) => ({
          linkId: toUuid(id),
          clickedAtMs: Date.now() - 60_000 + number,
          country,
          utmSource,
        }),
      },
    ]);
    return insertClicks(runSqlOf(stage.client), batch, 30_000);
  };
  /** With three clicks, an alias, and one like it in the trash. */
  const addInside = async (key: string, slug: string, place: object): Promise<Link> => {
    const link = await made<Link>("POST /api/v1/links", { url: "https://example.com/", slug, ...place }, key);
    await call(`PATCH /api/v1/links/${link.id}`, { slug: `${slug}-new` }, key);
    await addClicks(link.id, 3, ["CH", "inside-utm"]);
    const gone = await made<Link>("POST /api/v1/links", { url: "https://example.com/gone", ...place }, key);
    await call(`DELETE /api/v1/links/${gone.id}`, undefined, key);
    return link;
  };

  const keys = {
    domains: await addKey({ domains: [inside.host] }),
    folders: await addKey({ folders: [inside.folder] }),
    tags: await addKey({ tags: [inside.tag] }),
    own: await addKey({ ownLinks: true }),
  };
  const member = await stage.addPerson(workspace, "editor");
  await stage.client.query("UPDATE members SET bounds = $2 WHERE id = $1", [
    member.memberId,
    JSON.stringify({
      tags: [toUuid((await call<{ id: string }>(`GET /api/v1/tags/${inside.tag}`)).body.id)],
    }),
  ]);
  const whole = { domain: inside.host, folder: inside.folder, tags: [inside.tag] };
  const common = await addInside(admin, "common", whole);
  const owned = await addInside(keys.own.key, "owned", { domain: workspace.host });

  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const callers: readonly Caller[] = [
    ...(["domains", "folders", "tags"] as const).map((part) => ({
      name: `a key that is bounded by ${part}`,
      headers: bearer(keys[part].key),
      linkId: common.id,
    })),
    { name: "a key that is bounded by own links", headers: bearer(keys.own.key), linkId: owned.id },
    {
      name: "a member who is bounded by tags",
      headers: { ...member.headers, origin: APP_ORIGIN },
      linkId: common.id,
    },
  ];

  /** The dashboard of a person in this workspace. */
  const browse = (cookie: string) => {
    const browser = openBrowser(stage.app);
    browser.enter(toPublicId("ws", workspace.id));
    const at = cookie.indexOf("=");
    browser.cookies.set(cookie.slice(0, at), cookie.slice(at + 1));
    return browser;
  };

  let rounds = 0;
  /** Links, clicks, folders and tags that no caller may learn of: more of them each time. */
  const addOutside = async () => {
    rounds += 1;
    const suffix = rounds === 1 ? "" : `-${rounds}`;
    const { slug, externalId, title, url, tag } = outside;
    const link = await made<Link>("POST /api/v1/links", {
      url,
      title,
      slug: slug + suffix,
      externalId: externalId + suffix,
      tags: [tag, `secret-other${suffix}`],
      folder: outside.folder,
    });
    await call(`PATCH /api/v1/links/${link.id}`, { slug: `secret-alias${suffix}` });
    await call(`PATCH /api/v1/links/${link.id}`, { slug: slug + suffix });
    await addClicks(link.id, 5, ["DE", "secret-utm"]);
    const trashed = await made<Link>("POST /api/v1/links", { url: `${url}gone`, tags: [tag] });
    await call(`DELETE /api/v1/links/${trashed.id}`);
    await made("POST /api/v1/folders", { name: `Secret folder of ${rounds}` });
    return { link, trashed };
  };
  return {
    stage,
    workspace,
    admin,
    call,
    callers,
    common,
    keys,
    member,
    inside: { ...inside, domainId: domain.id, folderId: folder.id },
    outside: { ...outside, folderId: secretFolder.id, tagId: secretTag.id },
    addOutside,
    addClicks,
    browse,
  };
}
