/**
 * A client that an off-the-shelf generator makes of the document (https://heyapi.dev) does what people do with links, domains and
 * keys. It checks every request and every answer against the document before it goes on.
 */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createClient as generate } from "@hey-api/openapi-ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openKeyedStage } from "../keyed-stage.ts";

const { stage, workspace, key } = await openKeyedStage("admin");

type Answer = {
  readonly data?: Readonly<Record<string, unknown>>;
  readonly error?: unknown;
  readonly response: Response;
};
type Call = (options: object) => Promise<Answer>;

let sdk: Readonly<Record<string, Call>>;
let folder: string;

beforeAll(async () => {
  // Here, and not among temporary files: what is generated imports zod.
  const parent = join(import.meta.dirname, "../../dist");
  await mkdir(parent, { recursive: true });
  folder = await mkdtemp(join(parent, "generated-client-"));
  const document = (await (await stage.app.request("/api/openapi.json")).json()) as never;
  await generate({
    input: document,
    output: folder,
    logs: { level: "silent" },
    plugins: ["@hey-api/client-fetch", "zod", { name: "@hey-api/sdk", validator: true }],
  });
  sdk = (await import(pathToFileURL(join(folder, "sdk.gen.ts")).href)) as typeof sdk;
});

afterAll(() => rm(folder, { recursive: true }));

/** The answer's body; a refusal, of the API or of the client's own validators, fails the test. */
async function call(operation: string, options: object = {}): Promise<Readonly<Record<string, unknown>>> {
  const answer = await ask(operation, options);
  expect([operation, answer.error]).toEqual([operation, undefined]);
  return answer.data ?? {};
}

function ask(operation: string, options: object = {}): Promise<Answer> {
  const send = sdk[operation];
  if (send === undefined) {
    throw new Error(`The client has no ${operation}.`);
  }
  return send({
    baseUrl: "https://go.example.com",
    auth: key,
    fetch: (request: Request) => stage.app.request(request),
    ...options,
  });
}

it("creates, lists, reads, changes and deletes links", async () => {
  const body = {
    url: "https://example.com/spring",
    tags: ["mail"],
    redirectStatus: 308,
    rules: [{ id: "de", when: { country: ["DE"] }, to: { url: "https://example.com/de" } }],
    expiresAt: "2099-01-01T00:00:00Z",
    cap: { mode: "strict", maxClicks: 10 },
  };
  const { id: linkId } = await call("createLink", { body });
  const path = { linkId };
  const link = await call("readLink", { path });
  expect(link).toMatchObject({ redirectStatus: 308, tags: ["mail"], status: "live", next: null });
  const query = { tag: ["mail", "other"], status: ["live", "expired"], sort: "-updatedAt", limit: 5 };
  expect(await call("listLinks", { query })).toMatchObject({ data: [{ id: linkId }], nextCursor: null });
  const changed = await call("updateLink", {
    path,
    body: { ...link, title: "Spring", redirectStatus: null },
  });
  expect(changed).toMatchObject({ title: "Spring", redirectStatus: 302, hasOwnRedirectStatus: false });
  expect(await call("publishLink", { path })).toMatchObject({ state: "settled" });
  expect(await call("resolveLink", { path, body: { country: "DE" } })).toMatchObject({ ruleId: "de" });
  await call("upsertLink", { body: { url: "https://example.com/1", externalId: "one" } });
  expect(await call("createLinks", { body: { items: [body] } })).toMatchObject({ created: 1 });
  expect((await ask("deleteLink", { path })).response.status).toBe(204);
  const gone = await ask("readLink", { path });
  expect([gone.response.status, gone.error]).toMatchObject([404, { code: "not_found" }]);
});

it("reads and changes domains, keys and the workspace, and sends back what it read", async () => {
  const { data: domains } = await call("listDomains");
  const [domain] = domains as readonly { readonly id: string; readonly host: string }[];
  expect(domain?.host).toBe(workspace.host);
  const path = { domainId: domain?.id };
  const settings = { rootUrl: "https://example.com/", endedUrl: null, redirectStatus: 307 };
  expect(await call("updateDomain", { path, body: { ...domain, ...settings } })).toMatchObject(settings);
  const { id: keyId } = await call("createKey", { body: { name: "Report", scopes: ["links:read"] } });
  expect(await call("readKey", { path: { keyId } })).toMatchObject({ name: "Report", expiresAt: null });
  expect((await ask("revokeKey", { path: { keyId } })).response.status).toBe(204);
  const { data: workspaces } = await call("listWorkspaces");
  const [own] = workspaces as readonly { readonly id: string }[];
  const renamed = { ...own, name: "Marketing" };
  expect(await call("updateWorkspace", { path: { workspaceId: own?.id }, body: renamed })).toEqual(renamed);
});

it("asks analytics", async () => {
  const query = { period: "last7Days", country: ["DE"], lists: ["link"], facets: ["class"] };
  expect(await call("readOverview", { query })).toMatchObject({ totals: { clicks: 0, visitors: null } });
  expect(await call("readBreakdown", { query: { dimension: "city" } })).toMatchObject({ values: [] });
  expect(await call("listClicks")).toMatchObject({ data: [], nextCursor: null });
});
