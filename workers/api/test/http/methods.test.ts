/** Which methods a path has: what the document says, for every path in it. */
import { describe, expect, it } from "vitest";
import { createMethodsOf } from "../../src/http/allowed-methods.ts";
import { type DocumentedOperation, listDocumentedOperations, pathOf } from "./every-operation.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { METRICS_TOKEN } from "../stage.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "PROPFIND"];
const ORIGIN = "https://app.example.com";

const { stage, workspace, key } = await openKeyedStage("admin");
const ids = await stage.addObjects(workspace);
const { cookie: person, personId } = await stage.addPerson(workspace, "owner", { isOperator: true });
await stage.client.query("UPDATE passkeys SET person_id = $1", [personId]);
const withOrigin = stage.appWith({ corsOrigins: [ORIGIN] });
const operations = await listDocumentedOperations(stage);
const paths = Array.from(
  Map.groupBy(operations, ({ path }) => path),
  ([path, ofPath]) => ({ path, taken: ofPath.map(({ method }) => method), operation: ofPath[0] }),
);
const reads = operations.filter(({ method }) => method === "GET");

const withHead = (methods: readonly string[]) => [
  ...methods,
  ...(methods.includes("GET") ? ["HEAD"] : []),
  "OPTIONS",
];
const allowOf = (response: Response) => response.headers.get("allow")?.split(", ").toSorted();
const addressOf = (operation: DocumentedOperation | undefined) => {
  if (operation === undefined) {
    throw new Error("A path without an operation.");
  }
  return pathOf(operation, ids);
};

/** How many requests `ask` sends to the database. */
async function countAsked(ask: () => Promise<unknown>): Promise<number> {
  let asked = 0;
  stage.endpoint.setFault(() => {
    asked += 1;
    return null;
  });
  await ask();
  stage.endpoint.setFault(null);
  return asked;
}

describe.each(paths)("$path", ({ taken, operation }) => {
  const allowed = withHead(taken).toSorted();
  const others = METHODS.filter((method) => !allowed.includes(method));

  it.each(others)(
    "answers %s with 405 and the methods it has, without asking the database",
    async (method) => {
      const asked = await countAsked(async () => {
        for (const headers of [{}, { authorization: `Bearer ${key}` }]) {
          const response = await stage.app.request(addressOf(operation), { method, headers });
          expect([response.status, allowOf(response)]).toEqual([405, allowed]);
          const text = await response.text();
          expect(text === "" ? "method_not_allowed" : JSON.parse(text).code).toBe("method_not_allowed");
          expect(text === "").toBe(method === "HEAD");
        }
      });
      expect(asked).toBe(0);
    },
  );

  it("answers OPTIONS with the methods it has, and leaves a preflight to CORS", async () => {
    const options = await withOrigin.request(addressOf(operation), { method: "OPTIONS" });
    expect([options.status, allowOf(options), await options.text()]).toEqual([204, allowed, ""]);
    const headers = { origin: ORIGIN, "access-control-request-method": "PUT" };
    const preflight = await withOrigin.request(addressOf(operation), { method: "OPTIONS", headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe(ORIGIN);
    expect(preflight.headers.get("access-control-allow-methods")).toBe("GET,HEAD,POST,PUT,PATCH,DELETE");
    expect(preflight.headers.get("allow")).toBeNull();
  });
});

describe.each(reads)("HEAD of $path", (operation) => {
  it("is answered like the GET, without its body, and keeps no place in the database", async () => {
    const token = operation.path === "/api/metrics" ? METRICS_TOKEN : key;
    const isPeoples = operation.scope === null && operation.isForPeople;
    const headers: HeadersInit = isPeoples ? { cookie: person } : { authorization: `Bearer ${token}` };
    const ask = (method: string) => stage.app.request(addressOf(operation), { method, headers });
    const head = await ask("HEAD");
    const { rows } = await stage.client.query("SELECT FROM live_streams");
    const get = await ask("GET");
    await get.text();
    expect([head.status, await head.text(), rows.length]).toEqual([200, "", 0]);
    for (const name of ["content-type", "cache-control"]) {
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
    }
    // Answers that depend on the time have another tag each time.
    expect(head.headers.has("etag")).toBe(get.headers.has("etag"));
  });
});

it("a literal path never matches as a parameter, whichever was registered first", () => {
  const methodsOf = createMethodsOf({
    routes: [
      { method: "ALL", path: "/*" },
      { method: "GET", path: "/links/:linkId" },
      { method: "POST", path: "/links/import" },
    ],
  });
  expect(methodsOf("/links/import")).toEqual(["POST", "OPTIONS"]);
  expect(methodsOf("/links/imported")).toEqual(["GET", "HEAD", "OPTIONS"]);
  expect(methodsOf("/links")).toBeNull();
});

it("covers every registered path, and those that are no operations", async () => {
  const registered = stage.app.routes.filter(({ method }) => method !== "ALL").map(({ path }) => path);
  const documented = paths.map(({ path }) => path.replaceAll(/\{(\w+)\}/g, ":$1"));
  const undocumented = [
    "/api/openapi.json",
    "/api/docs",
    "/api/docs/scalar.js",
    "/api/problems",
    "/api/problems/:code",
    "/api/auth/provider/:provider/callback",
  ];
  expect(new Set(registered)).toEqual(new Set([...documented, ...undocumented, "/api/mcp"]));
  for (const path of undocumented) {
    const refused = await stage.app.request(path, { method: "POST" });
    expect([refused.status, allowOf(refused)]).toEqual([405, ["GET", "HEAD", "OPTIONS"]]);
  }
});

it.each([
  ["no route matches", "/api/v1/lnks"],
  ["it continues after a route", "/api/v1/links/lnk_1/nonsense"],
  ["it ends in a slash", "/api/v1/links/"],
])("answers 404 to every method where %s", async (_what, path) => {
  for (const method of METHODS) {
    const response = await stage.app.request(path, { method, headers: { authorization: `Bearer ${key}` } });
    expect([method, response.status, response.headers.get("allow")]).toEqual([method, 404, null]);
  }
});

it("lets a page of another origin read which methods a path has", async () => {
  const refused = await withOrigin.request("/api/v1/tags", { method: "DELETE", headers: { origin: ORIGIN } });
  expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([405, ORIGIN]);
  expect(refused.headers.get("access-control-expose-headers")).toContain("allow");
});

it("compares methods by case: `patch` is not PATCH", async () => {
  const refused = await stage.app.request(`/api/v1/links/${ids["linkId"]}`, { method: "patch" });
  expect([refused.status, allowOf(refused)]).toEqual([405, ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH"]]);
});
