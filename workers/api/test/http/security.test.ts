/**
 * What every route must refuse. The routes come from the OpenAPI document. That each answers its documented codes (no key, an
 * unknown one, too few scopes, no JSON, another type) is in error-codes.test.ts; a neighbour's things are in hostile-neighbour.test.ts.
 */
import { describe, expect, it } from "vitest";
import { openKeyedStage } from "../keyed-stage.ts";
import {
  type DocumentedOperation,
  listDocumentedOperations,
  sendOperation,
  type Variation,
} from "./every-operation.ts";

const { stage, workspace, key: admin } = await openKeyedStage("admin");
const ours = await stage.addObjects(workspace);
const documented = await listDocumentedOperations(stage);
const operations = documented.filter(({ scope }) => scope !== null);
const withBody = operations.filter(({ body }) => body !== null);
const withJsonBody = operations.filter(({ body }) => body?.type === "application/json");
const withObject = operations.filter(({ path }) => path.includes("{"));

it("covers every route that is registered under /api/v1", () => {
  const registered = stage.app.routes
    .filter(({ path, method }) => path.startsWith("/api/v1/") && method !== "ALL")
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
  const names = documented.filter(({ scope, isForPeople }) => scope !== null || isForPeople);
  expect(new Set(names.map(({ name }) => name))).toEqual(new Set(registered));
  expect(operations.length).toBeGreaterThan(1);
});

/** The caller is known before the route is looked at. */
it.each([
  ["malformed", () => "hop_' OR 1=1 --"],
  ["expired", () => stage.addKey(workspace, ["admin"], { expiresAt: "2026-01-01T00:00:00Z" })],
  ["revoked", () => stage.addKey(workspace, ["admin"], { revokedAt: "2026-01-01T00:00:00Z" })],
])("refuses a key that is %s, and asks for another", async (_what, makeKey) => {
  for (const operation of operations.slice(0, 3)) {
    const response = await send(operation, { key: await makeKey() });
    expect(response).toMatchObject({ status: 401, code: "key_invalid" });
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
  }
});

describe.each(operations)("$name", (operation) => {
  it("documents the refusals", () => {
    expect(operation.statuses).toEqual(expect.arrayContaining(["401", "403", "429", "500", "503"]));
  });
});

describe.each(withObject)("$name", (operation) => {
  it.each(["nonsense", "%00", "lnk_", `lnk_${"0".repeat(31)}g`, "a".repeat(5_000)])(
    "finds no object with the id %.40s",
    async (id) => {
      const ids = Object.fromEntries(Object.keys(ours).map((parameter) => [parameter, id]));
      expect(await send(operation, { ids })).toMatchObject({ status: 404, code: "not_found" });
    },
  );
});

describe.each(withJsonBody)("$name", (operation) => {
  it.each([
    ["an array", "[]", 422, "invalid"],
    ["a number", "1", 422, "invalid"],
    ["null", "null", 422, "invalid"],
    ["an unknown field", '{"isAdmin":true}', 422, "invalid"],
    ["deep nesting", `${"[".repeat(100_000)}${"]".repeat(100_000)}`, 422, "invalid"],
  ])("refuses %s", async (_what, text, status, code) => {
    expect(await send(operation, { text })).toMatchObject({ status, code });
  });

  it("documents those refusals", () => {
    expect(operation.statuses).toEqual(expect.arrayContaining(["400", "413", "415", "422"]));
  });
});

describe.each(withBody)("$name", (operation) => {
  it("refuses a body that says that it is over its limit", async () => {
    const text = `{"url":"${"a".repeat(operation.maxBodyBytes)}"}`;
    const announced = await send(operation, { text, headers: { "content-length": String(text.length) } });
    expect(announced).toMatchObject({ status: 413, code: "body_too_large" });
  });
});

it.each(['{"url":', "\u0000\u0001"])("refuses %j, which is no JSON", async (text) => {
  const operation = withJsonBody.find(({ name }) => name === "POST /api/v1/links");
  const answer = operation && (await send(operation, { text }));
  expect(answer).toMatchObject({ status: 400, code: "body_malformed" });
});

it.each([
  ["/api/v1/links/import", `[${"{},".repeat(130_000)}{}]`],
  ["/api/v1/links/import", "[".repeat(260_000)],
  ["/api/mcp", `{"jsonrpc":"2.0","id":1,"method":"${"x".repeat(250_000)}"}`],
])("refuses what would hold an isolate up, before it is read: at %s %.10s", async (path, body) => {
  const headers = { authorization: `Bearer ${admin}`, "content-type": "application/json" };
  const response = await stage.app.request(path, { method: "POST", headers, body });
  expect(await response.json()).toMatchObject({ status: 413, code: "body_too_large" });
});

async function send(operation: DocumentedOperation, variation: Partial<Variation> = {}) {
  const response = await sendOperation(operation, { app: stage.app, key: admin, ids: ours, ...variation });
  const { code } = (await response.json()) as { readonly code?: string };
  return { status: response.status, code, headers: response.headers };
}
