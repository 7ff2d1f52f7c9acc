/** Many who change one thing at the same moment, in two isolates. */
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createTurns } from "../../src/in-turn.ts";
import { untilWaitingForLock } from "../../../../packages/db/test/lock-waits.ts";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { APP_ORIGIN } from "../people/people-stage.ts";
import { toUuid } from "../to-uuid.ts";

const { stage, workspace, key } = await openKeyedStage("admin");
/** To the database, by both isolates: they are the clock, because tests share their machine. */
let requests = 0;
const MS_A_REQUEST = 10;
const nowMs = () => (requests * MS_A_REQUEST) / 2;
const openIsolate = () => stage.appWith({}, { turns: createTurns({ nowMs, wait: (ms) => sleep(ms) }) });
const [here, elsewhere] = [openIsolate(), openIsolate()];
const ids = await stage.addObjects(workspace);

type Fields = { readonly [name: string]: unknown };

/** What a writer writes: two fields, so that a mixture of two writers would show. */
const WRITES: { readonly [kind: string]: (writer: number) => Fields } = {
  link: (writer) => ({ title: `w${writer}`, url: `https://example.com/w${writer}` }),
  domain: (writer) => ({
    rootUrl: `https://example.com/w${writer}`,
    notFoundUrl: `https://example.com/w${writer}`,
  }),
  webhook: (writer) => ({
    description: `w${writer}`,
    url: `https://hooks.example.com/w${writer}`,
  }),
};
const WRITERS = 50;
const MAX_MS = 2_000;

describe.each(Object.entries(WRITES))("of a %s", (kind, toFields) => {
  const id = ids[`${kind}Id`];
  const path = `/api/v1/${kind}s/${id}`;
  const patch = (body: Fields, headers = {}, app = here) =>
    callApi<Fields>({ app }, `PATCH ${path}`, { key, body, headers });

  it("nearly all of fifty PATCHes at the same moment hold within two seconds, none is a 500, and history and audit log agree", async () => {
    stage.endpoint.setFault(() => {
      requests += 1;
      return null;
    });
    const startedAtMs = nowMs();
    const answers = await Promise.all(
      Array.from({ length: WRITERS }, (_, writer) =>
        patch(toFields(writer), {}, writer % 2 === 0 ? here : elsewhere),
      ),
    );
    stage.endpoint.setFault(null);
    const tookMs = nowMs() - startedAtMs;
    const held = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(held.length).toBeGreaterThanOrEqual(45);
    expect(tookMs).toBeLessThanOrEqual(MAX_MS);
    expect(refused.filter(({ status, headers }) => status !== 503 || !headers.has("retry-after"))).toEqual(
      [],
    );
    const { body: after } = await callApi<Fields>(stage, `GET ${path}`, { key });
    const writers = answers.flatMap(({ status }, writer) => (status === 200 ? [toFields(writer)] : []));
    expect(writers).toContainEqual(pick(after, Object.keys(toFields(0))));
    const { rows } = await stage.client.query<{ after: Fields }>(
      "SELECT after FROM audit_log WHERE resource_id = $1 AND action LIKE '%.updated' ORDER BY at DESC, id DESC",
      [toUuid(id)],
    );
    expect(rows).toHaveLength(held.length);
    // A webhook's URL is a secret there.
    const [name = ""] = Object.keys(toFields(0));
    expect(rows[0]?.after).toMatchObject(pick(after, [name]));
    if (kind === "link") {
      const { body: history } = await callApi<{ readonly data: readonly Fields[] }>(
        stage,
        `GET ${path}/history?limit=100`,
        { key },
      );
      expect(history.data).toHaveLength(held.length + 1);
      expect(history.data[0]).toMatchObject({ version: after["version"] });
    }
  });

  it("two PATCHes that name different fields both hold", async () => {
    const [[first, second]] = [Object.entries(toFields(101))];
    if (first === undefined || second === undefined) {
      throw new Error("two fields");
    }
    await Promise.all([
      patch(Object.fromEntries([first])),
      patch(Object.fromEntries([second]), {}, elsewhere),
    ]);
    const { body: after } = await callApi<Fields>(stage, `GET ${path}`, { key });
    expect(after).toMatchObject(toFields(101));
  });
});

it("a webhook's PATCH names a version by If-Match: of ten with one tag one holds", async () => {
  const path = `/api/v1/webhooks/${ids["webhookId"]}`;
  const { headers, body } = await callApi<Fields>(stage, `GET ${path}`, { key });
  const tag = headers.get("etag") ?? "";
  expect(tag).toMatch(/^"v\d+\.[0-9a-f]{16}"$/);
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, writer) =>
      callApi<Fields>(stage, `PATCH ${path}`, {
        key,
        body: { description: `t${writer}` },
        headers: { "if-match": tag },
      }),
    ),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(412)]);
  const changed = answers.find(({ status }) => status === 200);
  expect(changed?.body["version"]).toBe(Number(body["version"]) + 1);
  const again = await callApi(stage, `PATCH ${path}`, {
    key,
    body: { enabled: false },
    headers: { "if-match": changed?.headers.get("etag") ?? "" },
  });
  expect(again).toMatchObject({ status: 200, body: { enabled: false } });
});

/** Names by table, straight into it. */
const NAMED = [
  ["passkeys", "name", `/api/v1/me/passkeys/${ids["passkeyId"]}`, {}],
  ["api_keys", "name", `/api/v1/keys/${ids["keyId"]}`, { scopes: ["links:read"] }],
  ["webhook_endpoints", "description", `/api/v1/webhooks/${ids["webhookId"]}`, { mode: "each" }],
] as const;

it.each(NAMED)(
  "a PATCH of %s that does not name %s takes back nobody's",
  async (table, column, path, body) => {
    const { cookie, personId } = await stage.addPerson(workspace, "owner");
    await stage.client.query("UPDATE passkeys SET person_id = $1", [personId]);
    await stage.client.query("BEGIN");
    await stage.client.query(`UPDATE ${table} SET ${column} = 'Theirs' WHERE id = $1`, [
      toUuid(path.split("/").at(-1) ?? ""),
    ]);
    const caller = path.startsWith("/api/v1/me")
      ? { key: "", headers: { authorization: "", cookie, origin: APP_ORIGIN } }
      : { key };
    const answer = callApi<Fields>(stage, `PATCH ${path}`, { ...caller, body });
    await untilWaitingForLock(stage.client);
    await stage.client.query("COMMIT");
    expect(await answer).toMatchObject({ status: 200, body: { [column]: "Theirs" } });
  },
);

function pick(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, fields[name]]));
}
