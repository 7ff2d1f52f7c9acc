/** Which apps links may open is a deployment's setting (APP_SCHEMES), and applies wherever a destination is written. */
import { describe, expect, it } from "vitest";
import type { ApiApp } from "../../src/app.ts";
import { readAppSchemes } from "../../src/destination.ts";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";

const { stage, workspace, key } = await openKeyedStage("links:read", "links:write", "admin");
const withApps = stage.appWith({}, { appSchemes: readAppSchemes({ APP_SCHEMES: "myapp, spotify" }) });

const web = "https://example.com/";
const app = "myapp://open?id=1#part";

/** Every field for a destination, as a request, and the path of the field. */
const FIELDS: readonly [string, object, string][] = [
  ["the destination", { url: app }, "url"],
  ["a rule", { url: web, rules: [{ id: "r", when: { os: ["iOS"] }, to: { url: app } }] }, "rules[0].to.url"],
  ["a split", { url: web, split: [{ id: "a", url: app, weight: 1 }] }, "split[0].url"],
  ["what comes next", { url: web, next: { url: app, activateAt: "2030-01-01T00:00:00Z" } }, "next.url"],
  ["a fallback", { url: web, expiredUrl: app }, "expiredUrl"],
];

type Answer = {
  readonly id: string;
  readonly slug: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
  readonly results?: readonly Answer[];
  readonly refusals?: readonly Answer[];
  readonly created?: number;
};

const call = (application: ApiApp, target: string, body: unknown) =>
  callApi<Answer>({ app: application }, target, { key, body });

describe.each(FIELDS)("an app's URL as %s", (_what, body, path) => {
  const message = expect.stringContaining('has the scheme "myapp"; allowed are http, https');

  it("is refused by every operation if the deployment does not list its scheme", async () => {
    const create = await call(stage.app, "POST /api/v1/links", body);
    expect([create.status, create.body.errors]).toEqual([422, [{ path, message }]]);
    const upsert = await call(stage.app, "POST /api/v1/links/upsert", { ...body, externalId: "x" });
    expect([upsert.status, upsert.body.errors]).toEqual([422, [{ path, message }]]);
    const bulk = await call(stage.app, "POST /api/v1/links/bulk", { items: [body] });
    expect(bulk.body.results).toMatchObject([{ status: 422, errors: [{ path, message }] }]);
    const imported = await call(stage.app, "POST /api/v1/links/import", [body]);
    expect(imported.body.refusals).toMatchObject([{ code: "invalid", errors: [{ path, message }] }]);
    const link = await call(stage.app, "POST /api/v1/links", { url: web });
    const change = await call(stage.app, `PATCH /api/v1/links/${link.body.id}`, body);
    expect([change.status, change.body.errors]).toEqual([422, [{ path, message }]]);
  });

  it("is accepted by every operation if it does", async () => {
    expect((await call(withApps, "POST /api/v1/links", body)).status).toBe(201);
    const externalId = `app-${path}`;
    expect((await call(withApps, "POST /api/v1/links/upsert", { ...body, externalId })).status).toBe(201);
    expect((await call(withApps, "POST /api/v1/links/bulk", { items: [body] })).body.created).toBe(1);
    expect((await call(withApps, "POST /api/v1/links/import", [body])).body.created).toBe(1);
    const link = await call(withApps, "POST /api/v1/links", { url: web });
    expect((await call(withApps, `PATCH /api/v1/links/${link.body.id}`, body)).status).toBe(200);
  });
});

it("an app's URL is published byte for byte", async () => {
  const { body } = await call(withApps, "POST /api/v1/links", { url: app });
  expect(stage.edge.recordAt(workspace.host, body.slug)).toMatchObject({ url: app });
});

it("a domain's URLs follow the same list", async () => {
  const path = `PATCH /api/v1/domains/dom_${workspace.domainId.replaceAll("-", "")}`;
  const change = { rootUrl: app, notFoundUrl: "http://10.0.0.1/", homeUrl: web, reportUrl: app };
  const refused = await call(stage.app, path, change);
  expect([refused.status, refused.body.errors?.map((error) => error.path)]).toEqual([
    422,
    ["rootUrl", "notFoundUrl", "reportUrl"],
  ]);
  expect((await call(withApps, path, { rootUrl: app })).status).toBe(200);
});

it("a domain's URLs take no placeholders, as they are not filled", async () => {
  const path = `PATCH /api/v1/domains/dom_${workspace.domainId.replaceAll("-", "")}`;
  const change = { rootUrl: `${web}{country}`, notFoundUrl: `${web}*`, endedUrl: `${web}?q={query.q}` };
  const refused = await call(stage.app, path, change);
  expect([refused.status, refused.body.errors?.map((error) => error.path)]).toEqual([
    422,
    ["rootUrl", "notFoundUrl", "endedUrl"],
  ]);
});

it("a scheme that runs code is refused even if a deployment lists it, and the API does not start", async () => {
  expect(() => readAppSchemes({ APP_SCHEMES: "myapp,javascript" })).toThrow(
    /^APP_SCHEMES: "javascript" can never be allowed/,
  );
  const careless = stage.appWith({}, { appSchemes: new Set(["javascript"]) });
  const { status, body } = await call(careless, "POST /api/v1/links", { url: "javascript:alert(1)" });
  expect([status, body.errors]).toEqual([
    422,
    [{ path: "url", message: 'has the scheme "javascript", which is never allowed' }],
  ]);
});
