/**
 * POST /api/mcp: tools for language models (Model Context Protocol, streamable HTTP, without sessions). A tool's call is a
 * request to the API with the caller's own key, so that scopes, limits and checks are those of the API, and nothing here
 * knows the database. Loaded with the first request: the SDK is large.
 */
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { toToolAnswer, toToolRequest } from "./call-tool.ts";
import { type Arguments, listTools, type Tool, type ToolDocument } from "./tools.ts";

export type McpDeps = {
  readonly document: ToolDocument;
  /** The API itself. */
  readonly fetch: (request: Request) => Response | Promise<Response>;
};

/** Answers a request whose body has been read already. */
export type Mcp = (request: Request, body: unknown) => Promise<Response>;

const INSTRUCTIONS =
  "Hopline makes short links and counts their clicks. Links have ids (lnk_…), times are RFC 3339, lists have a nextCursor that is passed back as cursor. Counts are of people unless a filter on class asks for others.";

export function createMcp({ document, fetch }: McpDeps): Mcp {
  const tools = listTools(document).map((tool) => ({
    tool,
    inputSchema: fromJsonSchema<Arguments>(tool.inputSchema, LEFT_TO_THE_API),
  }));
  const call = async (tool: Tool, given: Arguments, caller: Request | undefined) => {
    if (caller === undefined) {
      throw new Error("invariant: a tool is called by a request");
    }
    const { text, isError } = await toToolAnswer(await fetch(toToolRequest(tool, given, caller)));
    return { content: [{ type: "text" as const, text }], isError };
  };
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const server = new McpServer({ name: "hopline", version: "1" }, { instructions: INSTRUCTIONS });
      for (const { tool, inputSchema } of tools) {
        const { name, title, description, isReadOnly, isDestructive } = tool;
        const annotations = {
          readOnlyHint: isReadOnly,
          destructiveHint: isDestructive,
          openWorldHint: false,
        };
        server.registerTool(name, { title, description, inputSchema, annotations }, (given) =>
          call(tool, given, requestInfo),
        );
      }
      return server;
    },
    // Tools never change while a deployment lives, so there is nothing to subscribe to.
    { maxSubscriptions: 0 },
  );
  return (request, parsedBody) => handler.fetch(request, { parsedBody });
}

/** The API checks what it is sent, and says what is wrong with it better than a schema does. */
const LEFT_TO_THE_API = {
  getValidator: () => (input: unknown) =>
    ({ valid: true, data: input as never, errorMessage: undefined }) as const,
};
