/** How large request bodies may be, and which may be something other than JSON. */
import { createMiddleware } from "hono/factory";
import { bodyLimit } from "hono/body-limit";
import { ProblemError } from "./problem.ts";

/** Enough for every request but a file of links. */
const MAX_BODY_BYTES = 1_000_000;

/** About 100,000 links. */
export const MAX_IMPORT_BYTES = 20_000_000;
export const IMPORT_PATH = "/api/v1/links/import";

const limitTo = (maxSize: number) =>
  bodyLimit({
    maxSize,
    onError: () => {
      throw new ProblemError("body_too_large");
    },
  });
const limitOrdinary = limitTo(MAX_BODY_BYTES);
const limitImport = limitTo(MAX_IMPORT_BYTES);

export const limitBody = createMiddleware((context, next) =>
  context.req.path === IMPORT_PATH ? limitImport(context, next) : limitOrdinary(context, next),
);

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i;
const IMPORT_TYPE = /^(?:text\/csv|application\/x-ndjson|application\/json)\b/i;

/** The validators ignore a body of another type, so it is refused before they run. */
export const requireKnownBody = createMiddleware(async (context, next) => {
  // `curl -X POST` and fetch send a POST without a body as an empty body without a type.
  const hasBody = context.req.raw.body !== null && context.req.header("content-length") !== "0";
  const known = context.req.path === IMPORT_PATH ? IMPORT_TYPE : JSON_TYPE;
  if (hasBody && !known.test(context.req.header("content-type") ?? "")) {
    throw new ProblemError("unsupported_media_type");
  }
  await next();
});
