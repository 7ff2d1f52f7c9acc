/**
 * A hostile neighbour: every operation of the document, with another workspace's ids, names, cursors and Idempotency-Keys in
 * every place that takes one. Nothing of the other workspace changes or shows, and what belongs to it is answered exactly like
 * what does not exist. The operations come from the document: a new one is covered by being in it.
 */
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { toPublicId } from "../../src/http/entity-id.ts";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import type { Workspace } from "../stage.ts";
import { toUuid } from "../to-uuid.ts";
import { IS_FULL } from "../../../../packages/core/test/runs.ts";
import {
  type DocumentedOperation,
  type Ids,
  listDocumentedOperations,
  sendOperation,
  type Variation,
} from "./every-operation.ts";

const { stage, workspace: ours, key } = await openKeyedStage("admin");
const operations = await listDocumentedOperations(stage);
const theirs = await stage.addWorkspace();
const theirKey = await stage.addKey(theirs, ["admin"]);
const { cookie: person } = await stage.addPerson(ours, "owner");
const { cookie: theirPerson } = await stage.addPerson(theirs, "owner");

/** What belongs to a workspace, by what it is; or something of the same form that belongs to nobody. */
type Things = { readonly [kind: string]: string };

type Owned = { readonly ids: Ids; readonly things: Things; readonly clickIds: readonly string[] };

let mine: Owned;
let victim: Owned;
/** A workspace of the attacker's whose rows get full of the victim's names, because those go into its own bodies. */
const scratch = await stage.addWorkspace();
const scratchKey = await stage.addKey(scratch, ["admin"]);
const { cookie: scratchPerson } = await stage.addPerson(scratch, "owner");
let scratchIds: Ids;
/** Looks like the victim's things, and does not exist. */
const nothing: Things = {
  linkId: "lnk_0198f3c2a1b27c3d8e4f5a6b7c8d0000",
  domainId: "dom_0198f3c2a1b27c3d8e4f5a6b7c8d0000",
  keyId: "key_0198f3c2a1b27c3d8e4f5a6b7c8d0000",
  workspaceId: "ws_0198f3c2a1b27c3d8e4f5a6b7c8d0000",
  host: "0000.nobody.example.com",
  slug: "nobody-slug",
  externalId: "nobody-external",
  tag: "nobody-tag",
  title: "Nobody title",
};

const words = (name: string): Omit<Things, "linkId"> => ({
  slug: `${name}-slug`,
  externalId: `${name}-external`,
  tag: `${name}-tag`,
  title: `${name} title`,
});

/** Links, keys, domains and clicks: more than one of each, so that lists have cursors. */
async function settle(workspace: Workspace, owner: string, name: string): Promise<Owned> {
  const { slug, ...rest } = words(name);
  const [first, second] = [await stage.addObjects(workspace), await stage.addObjects(workspace)];
  const { body } = await callApi<{ id: string; shortUrl: string }>(stage, "POST /api/v1/links", {
    key: owner,
    body: {
      url: `https://${name}.secret.example/`,
      slug,
      title: rest["title"],
      tags: [rest["tag"], `${name}-tag-two`],
      externalId: rest["externalId"],
      password: `${name} password`,
      cap: { mode: "fast", maxClicks: 100 },
    },
  });
  await stage.client.query(
    `INSERT INTO click_events (event_id, clicked_at, link_id, link_version, workspace_id, domain_id, source, class, country, utm_source)
     SELECT gen_random_uuid(), now() - n * interval '1 second', $1, 1, $2, $3, 'link', 'human', 'DE', $4
     FROM generate_series(1, 3) AS n`,
    [toUuid(body.id), workspace.id, workspace.domainId, `${name}-utm`],
  );
  // A link with two versions.
  await callApi(stage, `PATCH /api/v1/links/${first["linkId"]}`, {
    key: owner,
    body: { title: rest["title"] },
  });
  // Two in the trash.
  for (const url of ["one", "two"].map((path) => `https://${name}.secret.example/${path}`)) {
    const { body: one } = await callApi<{ id: string }>(stage, "POST /api/v1/links", {
      key: owner,
      body: { url },
    });
    await callApi(stage, `DELETE /api/v1/links/${one.id}`, { key: owner });
  }
  const list = await callApi<{ data: readonly { id: string }[] }>(stage, "GET /api/v1/analytics/events", {
    key: owner,
  });
  return {
    ids: first,
    clickIds: list.body.data.map(({ id }) => id),
    things: {
      ...first,
      ...words(name),
      linkId: body.id,
      workspaceId: toPublicId("ws", workspace.id),
      host: workspace.host,
      ...(second["linkId"] === undefined ? {} : { secondLinkId: second["linkId"] }),
    },
  };
}

/** Every row of every table that belongs to a workspace ($1), as one hash; a new table is covered. */
const FINGERPRINT = await planFingerprint();

async function planFingerprint(): Promise<string> {
  const { rows } = await stage.client.query<{ table_name: string; columns: readonly string[] }>(
    `SELECT table_name, array_agg(column_name::text) AS columns
     FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND column_name IN ('workspace_id', 'owner_id', 'link_id')
     GROUP BY table_name`,
  );
  const parts = rows.map(({ table_name: table, columns }) => {
    const owner = columns.find((name) => name !== "link_id");
    const isTheirs =
      owner !== undefined ? `t.${owner} = $1` : "t.link_id IN (SELECT id FROM links WHERE workspace_id = $1)";
    return `(SELECT md5(string_agg(t::text, '' ORDER BY t::text)) FROM ${table} AS t WHERE ${isTheirs})`;
  });
  return `SELECT concat_ws(' ', (SELECT md5(w::text) FROM workspaces AS w WHERE id = $1), ${parts.join(", ")}) AS hash`;
}

async function fingerprint(workspace: Workspace): Promise<string> {
  // Named, so that it is planned once: planning takes longer than reading these few rows.
  const { rows } = await stage.client.query<{ hash: string }>({
    name: "fingerprint",
    text: FINGERPRINT,
    values: [workspace.id],
  });
  return rows[0]?.hash ?? "";
}

const edgeOf = ({ host }: Workspace) =>
  JSON.stringify(
    [stage.edge.inKv, stage.edge.inFeed].map((held) => [...held].filter(([name]) => name.startsWith(host))),
  );

beforeAll(async () => {
  mine = await settle(ours, key, "mine");
  victim = await settle(theirs, theirKey, "victim");
  scratchIds = await stage.addObjects(scratch);
});

type Answer = { readonly status: number; readonly text: string; readonly headers: Headers };

async function send(operation: DocumentedOperation, variation: Partial<Variation> = {}): Promise<Answer> {
  const response = await sendOperation(operation, {
    app: stage.app,
    key,
    person,
    ids: mine.ids,
    ...variation,
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

/** Nothing that only the victim knows may be in an answer, but for what the request itself said. */
function expectNothingLeaks(answer: Answer, said: readonly string[] = []): void {
  const secrets = [
    ...Object.values(victim.things),
    ...Object.values(victim.ids),
    ...victim.clickIds,
    "victim.secret.example",
    "victim-utm",
    "victim password",
  ];
  const whole = `${answer.text}\n${JSON.stringify([...answer.headers])}`;
  const shown = secrets.filter(
    (secret) => whole.includes(secret) && !said.some((one) => one.includes(secret)),
  );
  expect([answer.status < 500, shown]).toEqual([true, []]);
}

/** An answer without the names that requests say and without what differs each time: times, new ids, generated slugs. */
function withoutEcho({ status, text }: Answer): string {
  const names = [victim.things, nothing].flatMap((things) => Object.values(things));
  const bare = names.reduce((rest, name) => rest.replaceAll(name, "…"), text);
  // Of what was created, only that it was: the next request meets it, and an upsert changes it.
  return status === 201 || (status === 200 && text.startsWith('{"id":"lnk_'))
    ? "done"
    : `${status} ${bare
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "…")
        .replaceAll(/"(?:latencyMs":\d+|requestId":"[^"]+")/g, "…")
        .replaceAll(/\d+\.sealed\.[\w.-]+/g, "…")
        .replaceAll(/lnk_[0-9a-f]{32}/g, "…")
        .replaceAll(/"slug":"\w{7}"|\/\w{7}"/g, "…")
        .replaceAll(/"(?:version|row|index)":\d+/g, "…")}`;
}

/** Where what exists elsewhere is answered otherwise, as documented: a host belongs to one workspace. */
const TELLS_APART: readonly (readonly [name: string, place: string])[] = [["POST /api/v1/domains", "host"]];

/** What to put into a parameter or a field, by its name; a text into any other. */
const KINDS: readonly (readonly [name: RegExp, kinds: readonly string[]])[] = [
  [/link|^id$/i, ["linkId", "slug"]],
  [/domain|host|url/i, ["host", "domainId"]],
  [/slug/i, ["slug"]],
  [/key/i, ["keyId"]],
  [/workspace/i, ["workspaceId"]],
  [/search|name|title/i, ["slug", "tag", "title", "externalId"]],
  [/tag/i, ["tag"]],
];

const namesThing = (place: string): boolean => KINDS.some(([name]) => name.test(place));

/** Parameters of analytics, and fields, that name nothing of a workspace, such as a country: all operations read them in one way. */
const tried = new Set<string>();

/** Whether it names something, or is the first of its name; in full, always. */
function isWorthTrying(name: string): boolean {
  const isNew = !tried.has(name);
  tried.add(name);
  return IS_FULL || isNew || name === "externalId" || namesThing(name);
}

const kindsFor = (place: string): readonly string[] =>
  KINDS.find(([name]) => name.test(place))?.[1] ?? ["externalId"];

/** Sends the same with a thing of the victim's and with nothing of its kind: both answers have to be alike. */
async function expectAlike(
  operation: DocumentedOperation,
  place: string,
  vary: (value: string) => Partial<Variation>,
  said: readonly string[] = [],
): Promise<void> {
  for (const kind of kindsFor(place)) {
    const [value = "", absent = ""] = [victim.things[kind], nothing[kind]];
    const theirAnswer = await send(operation, vary(value));
    const noAnswer = await send(operation, vary(absent));
    expectNothingLeaks(theirAnswer, [value, ...said]);
    if (!TELLS_APART.some(([name, its]) => name === operation.name && its === place)) {
      expect([place, kind, withoutEcho(theirAnswer)]).toEqual([place, kind, withoutEcho(noAnswer)]);
    }
  }
}

it("a bulk create whose slug is taken meanwhile says that, and not that the other has its external id", async () => {
  const { externalId = "" } = victim.things;
  const item = { url: "https://example.com/", slug: "taken-meanwhile" };
  const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>();
  let isFirst = true;
  stage.endpoint.setFault(({ statements }) => {
    if (!isFirst || !statements.some(({ query }) => /INSERT INTO links /.test(query))) {
      return null;
    }
    isFirst = false;
    hold();
    return { kind: "hang" };
  });
  onTestFinished(() => stage.endpoint.setFault(null));
  const creating = callApi(stage, "POST /api/v1/links/bulk", {
    key,
    body: { items: [{ ...item, externalId }] },
  });
  await isHeld;
  expect((await callApi(stage, "POST /api/v1/links", { key, body: item })).status).toBe(201);
  stage.endpoint.setFault(null);
  expect((await creating).body).toMatchObject({ created: 0, results: [{ status: 409, code: "slug_taken" }] });
});

describe.each(operations)("$name", (operation) => {
  let before: readonly string[];
  const state = async () => [await fingerprint(theirs), edgeOf(theirs)];

  const parameters = (place: string) =>
    operation.parameters
      .filter((name) => name.startsWith(`${place} `))
      .map((name) => name.slice(place.length + 1));

  beforeAll(async () => {
    before = await state();
  });

  it("answers what is the other's like what does not exist, and shows nothing of it", async () => {
    const isOfAnalytics = operation.path.startsWith("/api/v1/analytics/");
    for (const name of parameters("query").filter(
      (one) => one !== "cursor" && one !== "limit" && (!isOfAnalytics || isWorthTrying(`query ${one}`)),
    )) {
      await expectAlike(operation, name, (value) => ({ query: `${name}=${encodeURIComponent(value)}` }));
    }
    for (const name of parameters("path")) {
      // What the place takes, and a text that is no id; in full, things of every kind.
      const kinds = new Set([name, "slug", ...kindsFor(name)]);
      const things = Object.entries(victim.things).filter(([kind]) => IS_FULL || kinds.has(kind));
      for (const [kind, value] of things) {
        const answer = await send(operation, { ids: { ...mine.ids, [name]: value } });
        if (operation.roles.includes("operator")) {
          expect([kind, answer.status]).toEqual([kind, 403]);
          continue;
        }
        expect([kind, answer.status]).toEqual([kind, 404]);
        // Where only people may call, no id of the path is looked at before its workspace.
        const isOfPeople = operation.scope === null && name === "workspaceId";
        const code = isOfPeople ? "workspace_not_found" : "not_found";
        expect(JSON.parse(answer.text)).toMatchObject({ code });
        expectNothingLeaks(answer);
      }
    }
    expect(await state()).toEqual(before);
  });

  it("does nothing for the names of the other's things in its body", async () => {
    const said = Object.values(victim.things);
    const attack = (place: string, toBody: (value: string) => Partial<Variation>) =>
      expectAlike(
        operation,
        place,
        (value) => ({ key: scratchKey, person: scratchPerson, ids: scratchIds, ...toBody(value) }),
        said,
      );
    if (operation.body?.type === "application/json") {
      const example = JSON.parse(String(operation.body.text)) as { readonly [name: string]: unknown };
      for (const field of operation.bodyFields) {
        // The other form is refused for its type alone.
        const isList = field in example ? Array.isArray(example[field]) : null;
        const isTried = isWorthTrying(field);
        if (isTried && (isList !== true || IS_FULL)) {
          await attack(field, (value) => ({ body: { ...example, [field]: value } }));
        }
        if (isTried && (isList !== false || IS_FULL)) {
          await attack(field, (value) => ({ body: { ...example, [field]: [value] } }));
        }
        // Of a list of objects, the same inside: every field that some body of links has, in full of the document.
        const items = example[field];
        const isOfObjects = Array.isArray(items) && (IS_FULL || typeof items[0] === "object");
        const likely = operations.filter(({ path }) => IS_FULL || path.startsWith("/api/v1/links"));
        const fields = new Set(isOfObjects ? likely.flatMap(({ bodyFields }) => bodyFields) : []);
        for (const inner of [...fields].filter(isWorthTrying)) {
          await attack(inner, (value) => ({
            body: { ...example, [field]: [{ url: "https://example.com/", [inner]: value }] },
          }));
        }
      }
    } else if (operation.body !== null) {
      for (const column of ["slug", "domain", "externalId", "id", "shortUrl"]) {
        await attack(column, (value) => ({
          text: `url,${column}\r\nhttps://example.com/,${value}\r\n`,
        }));
      }
    }
    expect(await state()).toEqual(before);
  });

  it("continues no list of the other's, whatever cursor it is given", async () => {
    const isList = parameters("query").includes("cursor") && !operation.roles.includes("operator");
    for (const place of isList ? ["query cursor"] : []) {
      const page = await send(operation, {
        key: theirKey,
        person: theirPerson,
        ids: victim.ids,
        query: "limit=1",
      });
      const { nextCursor } = JSON.parse(page.text) as { readonly nextCursor: string | null };
      expect([place, nextCursor]).toEqual([place, expect.any(String)]);
      for (const other of operations.filter(({ parameters: its }) => its.includes("query cursor"))) {
        const answer = await send(other, { query: `cursor=${nextCursor}` });
        expectNothingLeaks(answer);
        const refused = other.roles.includes("operator") ? 403 : 422;
        expect(answer.status).toBe(other.name === operation.name ? 200 : refused);
      }
    }
    if (parameters("header").includes("last-event-id")) {
      const { text } = await send(operation, { key: theirKey, person: theirPerson });
      const position = /^id: (.+)$/m.exec(text)?.[1] ?? "";
      const answer = await send(operation, { headers: { "last-event-id": position } });
      expect([position === "", answer.status]).toEqual([false, 200]);
      expectNothingLeaks(answer);
    }
  });

  it("answers nobody with what the other got for the same Idempotency-Key", async () => {
    if (operation.method !== "POST") {
      return;
    }
    const headers = { "idempotency-key": `shared ${operation.name}` };
    await send(operation, { key: theirKey, person: theirPerson, ids: victim.ids, headers });
    const answer = await send(operation, { headers });
    expect(answer.headers.get("idempotency-replayed")).toBeNull();
    expectNothingLeaks(answer);
  });
});
