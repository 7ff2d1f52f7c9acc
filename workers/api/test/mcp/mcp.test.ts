/** /api/mcp with the protocol's own client, in both of its protocol's generations. */
import { Client, type CallToolResult, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, describe, expect, it, vi } from "vitest";
import { MAX_ANSWER_CHARACTERS } from "../../src/mcp/call-tool.ts";
import { toPublicId } from "../../src/http/entity-id.ts";
import { openKeyedStage } from "../keyed-stage.ts";
import { clientOf } from "../stage-client.ts";
import { toUuid } from "../to-uuid.ts";

const { stage, workspace, key } = await openKeyedStage("links:read", "links:write", "analytics:read");
const hopline = clientOf(stage, key);
const URL_OF_MCP = new URL("https://go.example.com/api/mcp");

/** What was sent to the endpoint: status by status. */
const statuses: number[] = [];

async function connect(ofKey: string, mode: "legacy" | "auto" = "auto"): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const fetch = async (input: string | URL | Request, init?: RequestInit) => {
    const response = await stage.app.request(new Request(input, init));
    statuses.push(response.status);
    return response;
  };
  const requestInit = { headers: { authorization: `Bearer ${ofKey}` } };
  await client.connect(new StreamableHTTPClientTransport(URL_OF_MCP, { fetch, requestInit }));
  afterAll(() => client.close());
  return client;
}

const textOf = ({ content: [first] }: CallToolResult) => (first?.type === "text" ? first.text : "");

/** What a tool answers, parsed; the call must succeed. */
async function ask(client: Client, name: string, given: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: given });
  expect([textOf(result), result.isError ?? false]).toEqual([expect.any(String), false]);
  return JSON.parse(textOf(result));
}

/** The problem that a tool answers. */
async function refusal(client: Client, name: string, given: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: given });
  expect(result.isError).toBe(true);
  return textOf(result);
}

const mcp = await connect(key);

describe.each(["legacy", "auto"] as const)("a client of the %s generation", (mode) => {
  it("makes, finds, changes and explains a link, and asks for its clicks", async () => {
    const client = await connect(key, mode);
    const link = await ask(client, "create_link", {
      url: "https://example.com/spring",
      title: `Spring ${mode}`,
      rules: [{ id: "ios", when: { os: ["iOS"] }, to: { url: "https://example.com/app" } }],
    });
    expect(stage.edge.recordAt(workspace.host, link.slug)).toMatchObject({ state: "live" });
    const found = await ask(client, "find_links", { search: `spring ${mode}` });
    expect(found).toMatchObject({ data: [{ id: link.id }], nextCursor: null });
    await ask(client, "change_link", { linkId: link.id, tags: ["a"], title: null });
    expect(await ask(client, "read_link", { linkId: link.id })).toMatchObject({ tags: ["a"], version: 2 });
    expect(await ask(client, "explain_link", { linkId: link.id, os: "iOS" })).toMatchObject({
      outcome: "redirect",
      ruleId: "ios",
      location: "https://example.com/app",
    });
    const other = await ask(client, "create_link", { url: "https://example.com/other" });
    const copied = await ask(client, "copy_rules", { linkId: other.id, from: link.id });
    expect(copied).toMatchObject({ id: other.id, rules: [{ id: "ios" }] });
    const asked = { period: "last7Days", lists: ["country", "browser"], link: [link.id], visitors: true };
    expect(await ask(client, "ask_analytics", asked)).toMatchObject({
      totals: { clicks: 0, visitors: 0 },
      lists: [{ dimension: "country" }, { dimension: "browser" }],
    });
  });
});

describe("the tools", () => {
  it("take what their operations take, and say which of them only read, delete, merge or send", async () => {
    const { tools } = await mcp.listTools();
    const destructive = tools.filter(({ annotations }) => annotations?.destructiveHint === true);
    // Another name of a tag may be that of another tag, which it is merged into.
    expect(destructive.map(({ name }) => name)).toEqual(["delete_alias", "change_tag"]);
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ["create_link", false],
      ["find_links", true],
      ["read_link", true],
      ["change_link", false],
      ["delete_alias", false],
      ["copy_rules", false],
      ["explain_link", true],
      ["ask_analytics", true],
      ["list_domains", true],
      ["read_missed_visits", true],
      ["list_tags", true],
      ["change_tag", false],
    ]);
    const [createLink, findLinks, , changeLink] = tools;
    expect(createLink?.inputSchema).toMatchObject({ required: ["url"], properties: { slug: {}, rules: {} } });
    expect(findLinks?.inputSchema.properties).toMatchObject({ limit: { default: 20 }, search: {} });
    expect(changeLink?.inputSchema).toMatchObject({ required: ["linkId"], properties: { status: {} } });
    // Every reference leads to a definition that came with it.
    for (const { inputSchema } of tools) {
      const names = Array.from(JSON.stringify(inputSchema).matchAll(/"\$ref":"([^"]+)"/g), ([, ref]) => ref);
      const defined = Object.keys(inputSchema["$defs"] ?? {}).map((name) => `#/$defs/${name}`);
      expect(names.filter((name) => !defined.includes(name ?? ""))).toEqual([]);
    }
  });

  it("are few enough for a model to read", async () => {
    const { tools } = await mcp.listTools();
    expect(JSON.stringify(tools).length).toBeLessThan(40_000);
  });

  it("say what visitors asked a domain for that is not there", async () => {
    await stage.client.query(
      "INSERT INTO missed_visits (domain_id, day, slug, visits, last_at) VALUES ($1, current_date, 'sumer', 7, now())",
      [workspace.domainId],
    );
    const [domain] = (await ask(mcp, "list_domains")).data;
    const missed = await ask(mcp, "read_missed_visits", { domainId: domain.id, days: 2 });
    expect(missed).toMatchObject({ slugs: [{ slug: "sumer", visits: 7, linkId: null }] });
  });

  it("delete an alias, and ask first where people came through it lately", async () => {
    const link = await ask(mcp, "create_link", { url: "https://example.com/", slug: "printed" });
    await ask(mcp, "change_link", { linkId: link.id, slug: "renamed" });
    await stage.client.query(
      "INSERT INTO alias_clicks (link_id, slug, day, clicks, last_clicked_at) VALUES ($1, 'printed', current_date, 3, now())",
      [toUuid(String(link.id))],
    );
    const alias = { linkId: link.id, alias: "printed" };
    expect(await refusal(mcp, "delete_alias", alias)).toContain("send confirm=clicks");
    expect(await ask(mcp, "delete_alias", { ...alias, confirm: "clicks" })).toEqual({ status: 204 });
    expect(await ask(mcp, "read_link", { linkId: link.id })).toMatchObject({ aliases: [] });
  });

  it("gets what defaults fill, and the link that there is", async () => {
    const owner = await stage.addKey(workspace, ["admin"]);
    const setDefaults = async (defaults: object | null) =>
      clientOf(stage, owner).updateWorkspace({
        workspaceId: toPublicId("ws", workspace.id),
        body: { defaults },
      });
    await setDefaults({ utm: { source: { value: "model" } } });
    const wanted = { url: "https://example.com/once", reuse: true };
    const link = await ask(mcp, "create_link", wanted);
    expect(link).toMatchObject({
      utm: { source: "model" },
      filled: [{ field: "utm.source", from: "workspace" }],
    });
    expect((await ask(mcp, "create_link", wanted)).id).toBe(link.id);
    await setDefaults({ utm: { source: { isRequired: true } } });
    expect(JSON.parse(await refusal(mcp, "create_link", wanted))).toMatchObject({
      errors: [{ path: "utm.source" }],
    });
    await setDefaults(null);
  });

  it("answer what the API answers, problems included", async () => {
    expect(JSON.parse(await refusal(mcp, "create_link", { url: "javascript:alert(1)" }))).toMatchObject({
      status: 422,
      code: "invalid",
      errors: [{ path: "url" }],
    });
    expect(JSON.parse(await refusal(mcp, "read_link", { linkId: "lnk_1" }))).toMatchObject({ status: 404 });
  });

  it("refuse an answer that would fill a model's memory, and say what to ask instead", async () => {
    const items = Array.from({ length: 100 }, (_, index) => ({
      url: `https://example.com/${"x".repeat(1_000)}`,
      externalId: `long-${index}`,
      tags: ["long"],
    }));
    await hopline.createLinks({ body: { items } });
    const text = await refusal(mcp, "find_links", { tag: ["long"], limit: 100 });
    expect(text).toContain(`more than ${MAX_ANSWER_CHARACTERS}`);
    expect(text.length).toBeLessThan(300);
    expect((await ask(mcp, "find_links", { tag: ["long"] })).data).toHaveLength(20);
  });
});

describe("what a caller may do", () => {
  it("is what its key may do, tool by tool", async () => {
    const reader = await connect(await stage.addKey(workspace, ["links:read"]));
    const link = await hopline.createLink({ body: { url: "https://example.com/" } });
    expect(await ask(reader, "read_link", { linkId: link.id })).toMatchObject({ id: link.id });
    for (const [name, given] of [
      ["create_link", { url: "https://example.com/" }],
      ["change_link", { linkId: link.id, title: "Mine" }],
      ["ask_analytics", {}],
    ] as const) {
      expect(JSON.parse(await refusal(reader, name, given))).toMatchObject({ code: "scope_missing" });
    }
    expect(await hopline.readLink({ linkId: link.id })).toEqual(link);
  });

  it("ends at its workspace", async () => {
    const link = await hopline.createLink({ body: { url: "https://example.com/" } });
    const stranger = await connect(await stage.addKey(await stage.addWorkspace(), ["admin"]));
    for (const name of ["read_link", "change_link", "copy_rules", "explain_link"]) {
      const given = { linkId: link.id, ...(name === "copy_rules" ? { from: link.id } : {}) };
      expect(JSON.parse(await refusal(stranger, name, given))).toMatchObject({ status: 404 });
    }
    expect(await ask(stranger, "find_links")).toMatchObject({ data: [] });
  });

  it.each([
    ["no key", { authorization: "" }],
    ["an unknown key", { authorization: `Bearer hop_${"x".repeat(32)}` }],
  ])("is nothing with %s", async (_what, headers) => {
    const answer = await post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}', headers);
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  });

  it("counts as its requests: one for the message, one for the tool", async () => {
    const busy = await stage.addWorkspace();
    const of = await stage.addKey(busy, ["links:read"]);
    const client = await connect(of, "legacy");
    const before = await countRequests(busy.id);
    await ask(client, "list_tags");
    expect((await countRequests(busy.id)) - before).toBe(2);
  });
});

describe("hostile input", () => {
  it.each([
    ["a way up", "read_link", { linkId: "../keys" }],
    ["two dots", "read_link", { linkId: ".." }],
    ["a query in an id", "read_link", { linkId: "lnk_1?x=/../../keys#" }],
    ["an object for an id", "read_link", { linkId: { toString: "x" } }],
    ["no id", "change_link", { title: "x" }],
    ["half a character", "read_link", { linkId: "\ud800" }],
    ["a NUL", "find_links", { search: "a\u0000b" }],
    ["a parameter that is none", "find_links", { status: "root" }],
    ["a limit of a million", "find_links", { limit: 1_000_000 }],
    ["a header", "create_link", { url: "https://example.com/", "idempotency-key": "x" }],
    ["another workspace", "create_link", { url: "https://example.com/", workspaceId: "ws_1" }],
  ])("such as %s is refused by the API or before it", async (_what, name, given) => {
    const text = await refusal(mcp, name, given);
    expect(text.length).toBeLessThan(2_000);
    expect(text).not.toMatch(/SELECT|postgres|\.ts:\d/);
  });

  it.each(["find_links", "create_link"])(
    "with arguments that %s does not have makes no request, however many they are",
    async (tool) => {
      const asked = vi.spyOn(stage.app, "fetch");
      const given = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, 1]));
      const inner = () => asked.mock.calls.filter(([request]) => !request.url.endsWith("/api/mcp"));
      await ask(mcp, "list_tags");
      expect(inner()).toHaveLength(1);
      const text = await refusal(mcp, tool, given);
      expect(text).toContain(`${tool} has no argument "k0" (and 19999 others): use `);
      expect(text.length).toBeLessThan(2_000);
      expect(inner()).toHaveLength(1);
      asked.mockRestore();
    },
  );

  it("with a list or a text that no query holds is refused", async () => {
    const tag = Array.from({ length: 10_000 }, () => "a");
    expect(await refusal(mcp, "find_links", { tag })).toContain("tag has 10000 values, more than 100");
    const search = "x".repeat(100_000);
    expect(await refusal(mcp, "find_links", { search })).toContain("more than 15000");
  });

  it("such as an unknown tool is an error of the protocol", async () => {
    await expect(mcp.callTool({ name: "delete_everything", arguments: {} })).rejects.toThrow(/not found/i);
  });

  it.each([
    ["no JSON", "{", 400],
    ["a batch", '[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]', 422],
    ["no message", '{"a":1}', 400],
    ["null", "null", 400],
  ])("such as %s is refused", async (_what, body, status) => {
    expect((await post(body)).status).toBe(status);
  });

  it("such as a body of more than a megabyte is refused, and so is another type", async () => {
    expect((await post(JSON.stringify("x".repeat(1_000_001)))).status).toBe(413);
    expect((await post("{}", { "content-type": "text/plain" })).status).toBe(415);
  });

  it.each(["GET", "DELETE"])("such as %s, of sessions that there are none of, is a 405", async (method) => {
    const response = await stage.app.request(URL_OF_MCP, { method });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
  });

  it("never ended in a 5xx", () => {
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
  });
});

async function post(
  body: string,
  { authorization = `Bearer ${key}`, ...headers }: { readonly [name: string]: string } = {},
): Promise<Response> {
  return stage.app.request(URL_OF_MCP, {
    method: "POST",
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...(authorization === "" ? {} : { authorization }),
      ...headers,
    },
    body,
  });
}

async function countRequests(workspaceId: string): Promise<number> {
  const { rows } = await stage.client.query<{ requests: number }>(
    "SELECT requests FROM request_counts WHERE subject = $1",
    [`ws:${workspaceId}`],
  );
  return rows[0]?.requests ?? 0;
}
