/** The MCP endpoint in the production bundle: its SDK is loaded in the Worker, and its tools do what the API does. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";
import { stack, visit } from "./visitor-stack.ts";

it("makes a link for a language model that then redirects", async () => {
  const client = new Client({ name: "e2e", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const requestInit = { headers: { authorization: `Bearer ${stack.demo.apiKey}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL("/api/mcp", stack.url), { requestInit }));
  const made = { url: "https://example.com/by-a-model", slug: "by-a-model" };
  const { content, isError } = await client.callTool({ name: "create_link", arguments: made });
  expect([isError ?? false, content]).toEqual([
    false,
    [{ type: "text", text: expect.stringContaining('"slug":"by-a-model"') }],
  ]);
  expect((await visit("by-a-model")).headers.get("location")).toBe(made.url);
  await client.close();
});
