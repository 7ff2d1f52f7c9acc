/** The way to the MCP endpoint. */
import type { Handler } from "hono";
import { invalidField, ProblemError } from "../http/problem.ts";
import type { Mcp, McpDeps } from "./create-mcp.ts";

/** `describe` reads the OpenAPI document, with the first request. */
export function serveMcp(describe: () => Promise<string>, fetch: McpDeps["fetch"]): Handler {
  let mcp: Mcp | undefined;
  return async ({ req }) => {
    const { createMcp } = await import("./create-mcp.ts");
    if (mcp === undefined) {
      const document: McpDeps["document"] = JSON.parse(await describe());
      mcp = createMcp({ document, fetch });
    }
    const body = await readJson(req.raw);
    if (Array.isArray(body)) {
      // The protocol has none since 2025-06-18, and one could ask for more than a request may.
      throw invalidField("", "is a batch: send each message in a request of its own");
    }
    return mcp(req.raw, body);
  };
}

async function readJson(request: Request): Promise<unknown> {
  const text = await request.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new ProblemError("body_malformed");
  }
}
