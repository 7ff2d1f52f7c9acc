/**
 * Validators (RFC 9110, 8.8 and 13): every GET has an ETag and answers 304 to a client whose copy is current; writes to a
 * resource compare the version in If-Match.
 *
 * The tag of a resource is its version and a hash of all that GET shows: `"v3.9c56cc51b374c3ba"`. A read compares all of it. A
 * write compares the version: clicks, time, a key's last use, a deleted folder and a domain's default change what is shown, and
 * are no edits. All other tags are a hash of the body.
 */
import { z } from "@hono/zod-openapi";
import { createMiddleware } from "hono/factory";
import { sha256Hex } from "./api-key.ts";
import { ProblemError } from "./problem.ts";

export const IfMatchHeader = z.object({
  "if-match": z.string().max(1_000).optional().openapi({
    description:
      "The ETag of what is changed: the write is refused (412) if it was changed since. Clicks are not changes.",
    example: '"v3.9c56cc51b374c3ba"',
  }),
});

/** `shown`: the resource as GET shows it. */
export async function versionTag(version: number, shown: object): Promise<string> {
  const hash = await sha256Hex(new TextEncoder().encode(JSON.stringify(shown)));
  return `"v${version}.${hash.slice(0, 16)}"`;
}

/**
 * The versions that If-Match allows; `null`, meaning any, when the header is absent or `*`. Throws `ProblemError` for a
 * header without such a tag.
 */
export function readIfMatch(header: string | undefined): readonly number[] | null {
  if (header === undefined || header.trim() === "*") {
    return null;
  }
  const versions = Array.from(header.matchAll(/(?:^|,)\s*"v(\d{1,15})(?:\.[0-9a-f]{16})?"/g), ([, digits]) =>
    Number(digits),
  );
  if (versions.length === 0) {
    throw new ProblemError("version_mismatch");
  }
  return versions;
}

/** Gives JSON and HTML answers to GET a tag, and answers 304 instead of what the client has already. */
export const answerNotModified = createMiddleware(async (context, next) => {
  await next();
  const response = context.res;
  const isWhole = /^(?:application\/json|text\/html)\b/.test(response.headers.get("content-type") ?? "");
  const isMomentary = response.headers.get("cache-control") === "no-store";
  const hasTag = (isWhole && !isMomentary) || response.headers.has("etag");
  if (!["GET", "HEAD"].includes(context.req.method) || response.status !== 200 || !hasTag) {
    return;
  }
  const tag = response.headers.get("etag") ?? (await hashTag(await response.clone().arrayBuffer()));
  const headers = new Headers(response.headers);
  headers.set("etag", tag);
  // Stored by the client only, and revalidated before every use, unless the operation says otherwise.
  if (!headers.get("cache-control")?.includes("max-age=")) {
    headers.set("cache-control", "private, no-cache");
  }
  const isCurrent = isAmong(tag, context.req.header("if-none-match"));
  if (isCurrent) {
    headers.delete("content-type");
    headers.delete("content-length");
  }
  context.res = undefined;
  context.res = isCurrent
    ? new Response(null, { status: 304, headers })
    : new Response(response.body, { status: 200, headers });
});

export async function hashTag(body: BufferSource): Promise<string> {
  return `W/"${(await sha256Hex(body)).slice(0, 32)}"`;
}

/** Weak comparison, as If-None-Match requires. */
function isAmong(tag: string, header: string | undefined): boolean {
  const known = header?.split(",").map((one) => one.trim().replace(/^W\//, "")) ?? [];
  return known.includes("*") || known.includes(tag.replace(/^W\//, ""));
}
