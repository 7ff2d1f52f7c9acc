/**
 * Idempotency-Key on POSTs: the first request with a key is carried out, later ones get its answer, for a day.
 *
 * The same key with another request is 422, while the first is at work 409. An answer that says "try again" (5xx, 429)
 * or that nothing was looked at (401, 403) is not kept. A request that died without an answer frees its key after a
 * minute; whether it had done its work is then for the client to look up.
 */
import { createMiddleware } from "hono/factory";
import type { ApiContext } from "../api-deps.ts";
import { sha256Hex } from "./api-key.ts";
import { ProblemError, toProblemResponse } from "./problem.ts";
import { IMPORT_PATH } from "./request-limits.ts";
import type { Database } from "../database.ts";
import { claimKey, type KeptAnswer, keepAnswer, releaseKey } from "./idempotency-store.ts";

const MAX_KEY_LENGTH = 255;
const KEPT_HEADERS = ["content-type", "etag", "location"] as const;

export function replayRepeatedPosts(database: Database) {
  return createMiddleware<ApiContext>(async (context, next) => {
    const key = context.req.header("idempotency-key");
    // An import is not read twice: its slugs make a repetition harmless.
    if (context.req.method !== "POST" || key === undefined || context.req.path === IMPORT_PATH) {
      await next();
      return undefined;
    }
    requireFit(key);
    const url = new URL(context.req.url);
    const requestHash = await hashRequest(url.pathname + url.search, await context.req.arrayBuffer());
    const claim = {
      workspaceId: context.get("principal").workspaceId,
      key,
      requestHash,
      attemptId: crypto.randomUUID(),
    };
    const found = await claimKey(database, claim);
    if (found.kind !== "claimed") {
      return found.kind === "answered" ? toReplay(found.answer) : toProblemResponse(found.problem);
    }
    await next();
    if (isWorthKeeping(context.res.status)) {
      await keepAnswer(database, claim, await toKeptAnswer(context.res));
    } else {
      await releaseKey(database, claim);
    }
    return undefined;
  });
}

function requireFit(key: string): void {
  if (key.length > MAX_KEY_LENGTH || !/^[\x20-\x7e]+$/.test(key)) {
    throw new ProblemError("invalid", [
      { path: "Idempotency-Key", message: `Use 1 to ${MAX_KEY_LENGTH} printable ASCII characters.` },
    ]);
  }
}

async function hashRequest(target: string, body: ArrayBuffer): Promise<string> {
  const head = new TextEncoder().encode(`${target}\n`);
  const bytes = new Uint8Array(head.length + body.byteLength);
  bytes.set(head);
  bytes.set(new Uint8Array(body), head.length);
  return sha256Hex(bytes);
}

function isWorthKeeping(status: number): boolean {
  return status < 500 && ![401, 403, 429].includes(status);
}

async function toKeptAnswer(response: Response): Promise<KeptAnswer> {
  const headers = KEPT_HEADERS.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  const isSecret = response.ok && response.headers.get("cache-control") === "no-store";
  return {
    status: response.status,
    headers: Object.fromEntries(headers),
    body: isSecret ? null : await response.clone().text(),
  };
}

function toReplay({ status, headers, body }: KeptAnswer): Response {
  if (body === null) {
    return toProblemResponse("idempotency_secret");
  }
  return new Response(status === 204 ? null : body, {
    status,
    headers: { ...headers, "idempotency-replayed": "true" },
  });
}
