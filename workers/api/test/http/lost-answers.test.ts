/**
 * A write is committed and its answer is lost: the client gets a 503 and sends the request again. With an Idempotency-Key
 * that creates nothing twice.
 */
import { afterEach, describe, expect, it } from "vitest";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";

const { stage, workspace, key } = await openKeyedStage("admin");
const url = "https://example.com/";

afterEach(() => stage.endpoint.setFault(null));

/** The next statement of this table is carried out, and the connection breaks before its result. */
function loseAnswer(table: string): void {
  let isLost = false;
  stage.endpoint.setFault(({ statements }) => {
    if (isLost || !statements.some(({ query }) => new RegExp(`insert into "?${table}"? `, "i").test(query))) {
      return null;
    }
    isLost = true;
    return { kind: "execute-then-reset" };
  });
}

type Body = {
  readonly id?: string;
  readonly code?: string;
  readonly created?: number;
  readonly refused?: number;
  readonly results?: readonly { readonly status: number; readonly link?: { readonly id: string } }[];
};

let requests = 0;

/** Sends a request with one Idempotency-Key as often as it is called. */
function prepare(target: string, body: unknown, type = "application/json") {
  requests += 1;
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": type,
    "idempotency-key": `lost-${requests}`,
  };
  const [method = "", path = ""] = target.split(" ");
  return async (text = typeof body === "string" ? body : JSON.stringify(body)) => {
    const response = await stage.app.request(path, { method, headers, body: text });
    return { status: response.status, body: (await response.json()) as Body };
  };
}

const countOf = async (table: string, where = "true") =>
  (await stage.client.query(`SELECT 1 FROM ${table} WHERE workspace_id = $1 AND ${where}`, [workspace.id]))
    .rowCount ?? 0;

describe("a lost answer makes no second", () => {
  it("link", async () => {
    const send = prepare("POST /api/v1/links", { url: `${url}single` });
    const before = await countOf("links");
    loseAnswer("links");
    expect((await send()).status).toBe(503);
    expect(await countOf("links")).toBe(before + 1);
    const again = await send();
    expect([again.status, await countOf("links")]).toEqual([201, before + 1]);
    expect((await callApi(stage, `GET /api/v1/links/${again.body.id}`, { key })).status).toBe(200);
    expect((await send()).body.id).toBe(again.body.id);
  });

  it("domain, and the retry answers with the first", async () => {
    const send = prepare("POST /api/v1/domains", { host: "lost.example.org" });
    loseAnswer("domains");
    expect((await send()).status).toBe(503);
    const { rows } = await stage.client.query("SELECT id FROM domains WHERE host = 'lost.example.org'");
    const again = await send();
    const ids = rows.map((row: { id: string }) => `dom_${row.id.replaceAll("-", "")}`);
    expect([again.status, [again.body.id]]).toEqual([201, ids]);
  });

  it.each([false, true])("set of links in bulk, atomic: %s", async (atomic) => {
    const items = [1, 2, 3].map((item) => ({ url: `${url}bulk/${item}` }));
    const send = prepare("POST /api/v1/links/bulk", { items, atomic });
    const before = await countOf("links");
    loseAnswer("links");
    expect((await send()).status).toBe(503);
    const { status, body } = await send();
    expect([status, body.created, await countOf("links")]).toEqual([200, 3, before + 3]);
    expect(body.results?.map((one) => one.status)).toEqual([201, 201, 201]);
  });

  it("import, of which some chunks were committed", async () => {
    const rows = Array.from({ length: 1_200 }, (_, row) => `${url}import/${row}`);
    const send = prepare("POST /api/v1/links/import", `url\r\n${rows.join("\r\n")}\r\n`, "text/csv");
    const before = await countOf("links");
    loseAnswer("links");
    expect((await send()).status).toBe(503);
    expect(await countOf("links")).toBe(before + 1_000);
    const { status, body } = await send();
    expect([status, body.created, body.refused]).toEqual([200, 1_200, 0]);
    expect(await countOf("links")).toBe(before + 1_200);
    expect((await send()).body.created).toBe(1_200);
    expect(await countOf("links")).toBe(before + 1_200);
  });

  it("import while the first one is still running", async () => {
    const send = prepare("POST /api/v1/links/import", `url\r\n${url}twice\r\n${url}twice\r\n`, "text/csv");
    const before = await countOf("links");
    const answers = await Promise.all([send(), send(), send()]);
    expect(answers.map(({ body }) => body.created)).toEqual([2, 2, 2]);
    expect(await countOf("links")).toBe(before + 2);
  });

  it("key, whose secret nobody has seen", async () => {
    const send = prepare("POST /api/v1/keys", { name: "Lost", scopes: ["links:read"] });
    loseAnswer("api_keys");
    expect((await send()).status).toBe(503);
    expect(await send()).toMatchObject({ status: 409, body: { code: "idempotency_secret" } });
    expect(await countOf("api_keys", "name = 'Lost'")).toBe(1);
  });
});

describe("what is not a repetition", () => {
  it("is created: the same key with another file", async () => {
    const send = prepare("POST /api/v1/links/import", `url\r\n${url}one-file\r\n`, "text/csv");
    const before = await countOf("links");
    await send();
    expect((await send(`url\r\n${url}another-file\r\n`)).body.created).toBe(1);
    expect(await countOf("links")).toBe(before + 2);
  });

  it("is created again: a link that was deleted before the retry", async () => {
    const send = prepare("POST /api/v1/links", { url: `${url}deleted` });
    loseAnswer("links");
    await send();
    await stage.client.query("UPDATE links SET state = 'deleted' WHERE url = $1", [`${url}deleted`]);
    expect((await send()).status).toBe(201);
    expect(await countOf("links", `url = '${url}deleted' AND state = 'live'`)).toBe(1);
  });

  it("is created again: a domain that was deleted before the retry, and not shown as if it were still there", async () => {
    const send = prepare("POST /api/v1/domains", { host: "deleted.example.org" });
    loseAnswer("domains");
    await send();
    await stage.client.query(
      "UPDATE domains SET deleted_at = now(), released_at = now() WHERE host = 'deleted.example.org'",
    );
    const { status, body } = await send();
    expect(status).toBe(201);
    expect((await callApi(stage, `GET /api/v1/domains/${body.id}`, { key })).status).toBe(200);
  });

  it("is created again: the same request a day later", async () => {
    const send = prepare("POST /api/v1/links", { url: `${url}daily` });
    const first = await send();
    await stage.client.query("UPDATE idempotency_keys SET created_at = now() - interval '25 hours'");
    const second = await send();
    expect([second.status, second.body.id === first.body.id]).toEqual([201, false]);
  });
});
