/** How large request bodies may be, and which may be something other than JSON. */
import { createMiddleware } from "hono/factory";
import { bodyLimit } from "hono/body-limit";
import { ProblemError } from "./problem.ts";

/** Enough for every request but a file of links. */
const MAX_BODY_BYTES = 1_000_000;

/** About 100,000 links. */
export const MAX_IMPORT_BYTES = 20_000_000;
export const IMPORT_PATH = "/api/v1/links/import";
/** Of an import as one JSON document, which is parsed without giving way: CSV and JSON lines are read as they arrive. */
export const MAX_DOCUMENT_BYTES = 4_000_000;

/** Of such a document, about: a row has some. Without a bound, four million brackets would take a second to read. */
const MAX_DOCUMENT_VALUES = 250_000;

export const MCP_PATH = "/api/mcp";

/** A message to a tool: a link with all the rules that it may have. */
const MAX_MESSAGE_BYTES = 250_000;

const IMPORT_TYPE = /^(?:text\/csv|application\/x-ndjson|application\/json)\b/i;

/** Of a domain's logo. */
export const MAX_LOGO_BYTES = 65_536;
const LOGO_PATH = /^\/api\/v1\/domains\/[^/]+\/logo$/;
const LOGO_TYPE = /^image\/png\b/i;
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i;

const limitTo = (maxSize: number) =>
  bodyLimit({
    maxSize,
    onError: () => {
      throw new ProblemError("body_too_large");
    },
  });
const limitOrdinary = limitTo(MAX_BODY_BYTES);
const limitImport = limitTo(MAX_IMPORT_BYTES);
const limitDocumentBytes = limitTo(MAX_DOCUMENT_BYTES);
const limitDocument = createMiddleware((context, next) =>
  limitDocumentBytes(context, async () => {
    if (!hasFewValues(await context.req.text())) {
      throw new ProblemError("body_too_large");
    }
    await next();
  }),
);
const limitMessage = limitTo(MAX_MESSAGE_BYTES);
const limitLogo = limitTo(MAX_LOGO_BYTES);

/** What a body of this type at this path may be. */
function rulesAt(path: string, type = "") {
  if (path === IMPORT_PATH) {
    return { limit: JSON_TYPE.test(type) ? limitDocument : limitImport, type: IMPORT_TYPE };
  }
  if (path === MCP_PATH) {
    return { limit: limitMessage, type: JSON_TYPE };
  }
  return LOGO_PATH.test(path)
    ? { limit: limitLogo, type: LOGO_TYPE }
    : { limit: limitOrdinary, type: JSON_TYPE };
}

/** Of what begins a value, or another one. */
const BEGINNINGS = new Set(Array.from("[{,", (character) => character.charCodeAt(0)));

function hasFewValues(json: string): boolean {
  let values = 0;
  for (let at = 0; at < json.length && values <= MAX_DOCUMENT_VALUES; at += 1) {
    values += BEGINNINGS.has(json.charCodeAt(at)) ? 1 : 0;
  }
  return values <= MAX_DOCUMENT_VALUES;
}

export const limitBody = createMiddleware((context, next) =>
  rulesAt(context.req.path, context.req.header("content-type")).limit(context, next),
);

/** The validators ignore a body of another type, so it is refused before they run. */
export const requireKnownBody = createMiddleware(async (context, next) => {
  // `curl -X POST` and fetch send a POST without a body as an empty body without a type.
  const hasBody = context.req.raw.body !== null && context.req.header("content-length") !== "0";
  if (hasBody && !rulesAt(context.req.path).type.test(context.req.header("content-type") ?? "")) {
    throw new ProblemError("unsupported_media_type");
  }
  await next();
});
