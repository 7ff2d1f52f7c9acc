/** Bounds by every way in that is no plain list or form. What is about the whole workspace has none of them. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, describe, expect, it } from "vitest";
import { LIVE_SETTINGS } from "../../src/live/stream-clicks.ts";
import { sendFile } from "../imports/send-file.ts";
import { readEvents } from "../live/read-events.ts";
import { openBoundsStage } from "./bounds-stage.ts";

const { stage, workspace, call, common, keys, member, inside, outside, addOutside, addClicks, browse } =
  await openBoundsStage();
const { link: foreign } = await addOutside();
const key = keys.tags.key;
const bearer = { authorization: `Bearer ${key}` };

type Named = { readonly id?: string; readonly name?: string };

describe("a key that is bounded by tags", () => {
  it("over MCP: finds, reads, changes and counts its links alone, and changes no tag", async () => {
    const client = new Client({ name: "test", version: "1" });
    const transport = new StreamableHTTPClientTransport(new URL("https://go.example.com/api/mcp"), {
      fetch: async (input, init) => stage.app.request(new Request(input, init)),
      requestInit: { headers: bearer },
    });
    await client.connect(transport);
    afterAll(() => client.close());
    const ask = async (name: string, given: Record<string, unknown> = {}) => {
      const { content } = await client.callTool({ name, arguments: given });
      const [first] = content;
      return JSON.parse(first?.type === "text" ? first.text : "") as {
        readonly data?: readonly Named[];
        readonly code?: string;
        readonly totals?: { readonly clicks: number };
      };
    };
    const namesOf = async (tool: string) => (await ask(tool)).data?.map(({ id, name }) => name ?? id);
    expect([await namesOf("find_links"), await namesOf("list_tags")]).toEqual([[common.id], [inside.tag]]);
    const analytics = { period: "last7Days", lists: ["link"] };
    expect((await ask("ask_analytics", analytics)).totals?.clicks).toBe(3);
    const refused = [];
    for (const [name, given] of [
      ["read_link", { linkId: foreign.id }],
      ["change_link", { linkId: foreign.id, title: "Mine" }],
      ["explain_link", { linkId: foreign.id }],
      ["change_tag", { tag: inside.tag, name: "other" }],
    ] as const) {
      refused.push((await ask(name, given)).code);
    }
    expect(refused).toEqual(["not_found", "not_found", "not_found", "out_of_bounds"]);
  });

  it("exports its links alone", async () => {
    const response = await stage.app.request("/api/v1/links/export", { headers: bearer });
    const [, ...rows] = (await response.text()).trim().split("\r\n");
    expect([rows.length, rows[0]?.includes("common")]).toEqual([1, true]);
  });

  it("draws the code of its link, and of no other", async () => {
    const codeOf = async (id: string) =>
      (await stage.app.request(`/api/v1/links/${id}/qr`, { headers: bearer })).status;
    expect([await codeOf(common.id), await codeOf(foreign.id)]).toEqual([200, 404]);
  });

  it("imports into its bounds: a row without a tag gets the one there is, one with others is refused", async () => {
    const body = `url,slug,tags\r\nhttps://example.com/,imported,\r\nhttps://example.com/,refused,other\r\nhttps://example.com/,${outside.slug},\r\n`;
    const report = await sendFile(stage, key, {
      body,
      query: `conflict=replace&domain=${workspace.host}`,
    });
    expect(report).toMatchObject({
      created: 1,
      replaced: 0,
      refusals: [
        { slug: "refused", code: "invalid", errors: [{ path: "tags" }] },
        { slug: outside.slug, code: "slug_taken" },
      ],
    });
    const { body: found } = await call<{ data: readonly object[] }>("GET /api/v1/links?slug=imported");
    expect(found.data).toMatchObject([{ tags: [inside.tag] }]);
    expect((await call(`GET /api/v1/links/${foreign.id}`)).body).toMatchObject({ url: outside.url });
  });
});

describe("the live stream", () => {
  const app = stage.appWithStreams({ ...LIVE_SETTINGS, pollMs: 10 });
  const listen = async (headers: Readonly<Record<string, string>>) => {
    const events = readEvents(await app.request("/api/v1/analytics/live", { headers }));
    expect((await events.next()).name).toBe("ready");
    return events;
  };

  it("shows a bounded key the clicks of its links alone", async () => {
    const events = await listen(bearer);
    await addClicks(foreign.id, 2, ["DE", "secret-utm"]);
    await addClicks(common.id, 1, ["CH", "inside-utm"]);
    expect((await events.next()).data).toMatchObject({ link: common.id });
    await events.cancel();
  });

  it("ends when a member's bounds are others, also narrower ones, and when those of a key's maker are", async () => {
    const change = (bounds: object) =>
      stage.client.query("UPDATE members SET bounds = $2 WHERE id = $1", [member.memberId, bounds]);
    const { rows } = await stage.client.query<{ bounds: object }>(
      "SELECT bounds FROM members WHERE id = $1",
      [member.memberId],
    );
    const bounds = rows[0]?.bounds ?? {};
    const made = await stage.addKey(workspace, ["analytics:read"]);
    await stage.client.query(
      "UPDATE api_keys SET maker_id = $1 WHERE key_hash = sha256(convert_to($2, 'UTF8'))",
      [member.personId, made],
    );
    for (const [index, headers] of [member.headers, { authorization: `Bearer ${made}` }].entries()) {
      const events = await listen(headers);
      const utmSource = `listener-${index}`;
      await addClicks(common.id, 1, ["CH", utmSource]);
      // Beside transactions of other tests, clicks from before come first.
      let shown = await events.next();
      while (shown.data["utmSource"] !== utmSource) {
        shown = await events.next();
      }
      expect(shown.data).toMatchObject({ link: common.id });
      // The click and the narrower bounds are seen together, or the bounds before.
      await stage.client.query("BEGIN");
      await change({ ...bounds, own: true });
      await addClicks(common.id, 1, ["CH", "inside-utm"]);
      await stage.client.query("COMMIT");
      expect(await events.rest()).toEqual([]);
      await change(bounds);
    }
  });
});

describe("the audit log and webhooks", () => {
  const TARGETS = [
    "GET /api/v1/audit-log",
    "GET /api/v1/webhooks",
    "POST /api/v1/webhooks",
    "GET /api/v1/webhooks/{webhookId}",
    "GET /api/v1/webhooks/{webhookId}/deliveries",
  ];

  it("are about the whole workspace: bounded keys and members are refused, and told why", async () => {
    const { webhookId = "" } = await stage.addObjects(workspace);
    for (const headers of [bearer, member.headers]) {
      for (const target of TARGETS) {
        const [method = "", path = ""] = target.replace("{webhookId}", webhookId).split(" ");
        const response = await stage.app.request(path, {
          method,
          headers: { ...headers, origin: "http://localhost", "content-type": "application/json" },
          ...(method === "POST" ? { body: "{}" } : {}),
        });
        expect([target, response.status, await response.json()]).toMatchObject([
          target,
          403,
          { code: "out_of_bounds", detail: expect.stringContaining("this is about the whole workspace") },
        ]);
      }
    }
  });

  it("of a member who gets bounds: webhooks that they made go on, of all links, and they see them no more", async () => {
    const admin = await stage.addPerson(workspace, "admin");
    const browser = browse(admin.cookie);
    const made = await browser.call("POST /api/v1/webhooks", {
      url: "https://hooks.example.com/",
      events: ["link.created"],
    });
    const path = `/api/v1/webhooks/${String(made.body["id"])}`;
    await stage.client.query(`UPDATE members SET role = 'editor', bounds = '{"own": true}' WHERE id = $1`, [
      admin.memberId,
    ]);
    const [read, removed] = [await browser.call(`GET ${path}`), await browser.call(`DELETE ${path}`)];
    expect([made.status, read.body["code"], removed.body["code"]]).toEqual([
      201,
      "out_of_bounds",
      "out_of_bounds",
    ]);
    await call("POST /api/v1/links", { url: outside.url, tags: [outside.tag] });
    const deliveries = (await call<{ data: readonly object[] }>(`GET ${path}/deliveries`)).body.data;
    expect(deliveries).toMatchObject([{ type: "link.created" }]);
  });
});
