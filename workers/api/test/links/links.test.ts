import { describe, expect, it } from "vitest";
import { toPublicId } from "../../src/http/entity-id.ts";
import { callApi } from "../call-api.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { clientOf } from "../stage-client.ts";

const { stage, workspace, key } = await openKeyedStage("links:read", "links:write");
const hopline = clientOf(stage, key);

const url = "https://example.com/";

describe("POST /api/v1/links", () => {
  it("needs only a url, and answers the complete link", async () => {
    const body = await hopline.createLink({ body: { url: "https://example.com/spring" } });
    expect(body).toEqual({
      id: expect.stringMatching(/^lnk_[0-9a-f]{32}$/),
      domain: workspace.host,
      domainId: toPublicId("dom", workspace.domainId),
      slug: expect.stringMatching(/^[2-9A-HJ-NP-Za-km-z]{7}$/),
      shortUrl: `https://${workspace.host}/${body.slug}`,
      url: "https://example.com/spring",
      status: "live",
      redirectStatus: 302,
      title: null,
      tags: [],
      externalId: null,
      folderId: null,
      lastClickedAt: null,
      aliases: [],
      rules: [],
      split: null,
      next: null,
      startsAt: null,
      expiresAt: null,
      expiredUrl: null,
      hasOwnRedirectStatus: false,
      hasPassword: false,
      cap: null,
      forwardQuery: "none",
      utm: null,
      openGraph: null,
      qr: null,
      clicks: { human: 0, total: 0 },
      version: 1,
      createdAt: expect.stringMatching(/^20\d\d-\d\d-\d\dT.*Z$/),
      updatedAt: body.createdAt,
    });
  });

  it("answers 404, and no 500, where the link is deleted while it is published", async () => {
    stage.edge.state.beforeWrite = () =>
      stage.client.query("UPDATE links SET state = 'deleted' WHERE slug = 'brief'");
    const { status } = await callApi(stage, "POST /api/v1/links", { key, body: { url, slug: "brief" } });
    stage.edge.state.beforeWrite = null;
    expect(status).toBe(404);
  });

  it("publishes the record under the address that the edge looks up", async () => {
    const body = await hopline.createLink({
      body: { url: "https://example.com/x", slug: "Grüße-🚀", redirectStatus: 307 },
    });
    expect(stage.edge.recordAt(workspace.host, "Grüße-🚀")).toMatchObject({
      url: "https://example.com/x",
      redirectStatus: 307,
      version: 1,
      state: "live",
    });
    expect(body.shortUrl).toBe(`https://${workspace.host}/Gr%C3%BC%C3%9Fe-%F0%9F%9A%80`);
    expect(new URL(body.shortUrl).pathname).toBe("/Gr%C3%BC%C3%9Fe-%F0%9F%9A%80");
  });

  it("refuses a taken slug, but not one that differs in case", async () => {
    const taken = { url: "https://example.com/", slug: "taken" };
    await hopline.createLink({ body: taken });
    await expect(hopline.createLink({ body: taken })).rejects.toMatchObject({
      status: 409,
      code: "slug_taken",
      problem: { errors: [{ path: "slug" }] },
    });
    await hopline.createLink({ body: { url: "https://example.com/", slug: "Taken" } });
  });

  it("succeeds even if publishing fails: the link is committed, and the failure is logged", async () => {
    stage.edge.state.kvIsUp = false;
    const body = await hopline.createLink({ body: { url: "https://example.com/" } });
    stage.edge.state.kvIsUp = true;
    expect(await hopline.readLink({ linkId: body.id })).toEqual(body);
    expect(stage.log.at(-1)).toMatchObject({ event: "link.publish_failed", version: 1 });
  });

  it.each([
    ["nothing", {}, "invalid"],
    ["a url that is not one", { url: "spring" }, "invalid"],
    ["a script", { url: "javascript:alert(1)" }, "invalid"],
    ["credentials in a url", { url: "https://u:p@example.com/" }, "invalid"],
    ["a url of 9 KB", { url: `https://example.com/${"a".repeat(9_000)}` }, "invalid"],
    ["the API's own address", { url, slug: "API" }, "invalid"],
    ["a slug with an empty part", { url, slug: "a//b" }, "invalid"],
    ["a status that is not a redirect", { url, redirectStatus: 200 }, "invalid"],
    ["a prototype", JSON.parse(`{"url":"${url}","__proto__":{"admin":true}}`), "invalid"],
    ["a domain of another workspace", { url, domain: "example.org" }, "no_domain"],
  ])("answers %s with a clear problem", async (_what, body: object, code) => {
    const answer = await callApi(stage, "POST /api/v1/links", { key, body });
    expect([answer.status, answer.body.code]).toEqual([422, code]);
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
  });

  it("names the field that is wrong", async () => {
    const { body } = await callApi<{ errors: readonly { path: string }[] }>(stage, "POST /api/v1/links", {
      key,
      body: { url: "spring", redirectStatus: "301" },
    });
    expect(body.errors.map((error) => error.path)).toEqual(["url", "redirectStatus"]);
  });
});

describe("GET /api/v1/links/{id}", () => {
  it("answers the link with its clicks", async () => {
    const link = await hopline.createLink({ body: { url } });
    const ofLink = [link.id.slice(4)];
    await stage.client.query(
      "UPDATE link_totals SET human = 4, total = 6, last_clicked_at = '2026-11-02' WHERE link_id = $1",
      ofLink,
    );
    expect(await hopline.readLink({ linkId: link.id })).toEqual({
      ...link,
      clicks: { human: 4, total: 6 },
      lastClickedAt: "2026-11-02T00:00:00.000Z",
    });
  });
});

describe("an API key", () => {
  it("is missing if it comes without the word Bearer", async () => {
    const response = await stage.app.request("/api/v1/links/lnk_1", { headers: { authorization: key } });
    expect(await response.json()).toMatchObject({ status: 401, code: "key_missing" });
  });

  it.each(["Bearer nonsense", "Basic aG9wOmhvcA=="])("that is %s is refused", async (authorization) => {
    const response = await stage.app.request("/api/v1/links/lnk_1", { headers: { authorization } });
    expect(response.status).toBe(401);
  });
});

describe("when the database is down", () => {
  it("answers 503 with Retry-After, without internals", async () => {
    stage.endpoint.setFault(() => ({ kind: "reset" }));
    const response = await stage.app.request("/api/v1/links/lnk_1", {
      headers: { authorization: `Bearer ${key}` },
    });
    stage.endpoint.setFault(null);
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await response.text()).not.toMatch(/postgres|SELECT|127\.0\.0\.1/i);
    expect(JSON.stringify(stage.log)).not.toMatch(/postgres:|SELECT|hop_/);
  });
});
