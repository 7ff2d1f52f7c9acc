/**
 * Idempotency-Key on POSTs: the first request with a key is carried out, and later ones get its answer, for a day. Keys are
 * stored in Postgres, each within its workspace, or for a person's own things with that person, and for its caller. Runs after
 * the scope check, as part of a route: what is refused there, or is no route, stores nothing.
 *
 * The same key with a different request is 422, and 409 while the first one is in progress. Answers that ask for a retry
 * (5xx, 429) are not stored, nor are those that are large: the request is carried out again, with the same ids, and what it has
 * created is found (new-ids.ts). One that was refused for its values leaves nothing. A request that died without an answer
 * frees its key after a minute. Keys older than a day are removed by leased work (people/remove-expired.ts).
 */
import { idempotencyKeys } from "@hopline/db/schema";
import { and, eq, sql } from "drizzle-orm";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { NIL, v7 as uuidv7 } from "uuid";
import type { Database } from "../database.ts";
import { sha256Hex } from "./api-key.ts";
import type { ApiContext } from "./authenticate.ts";
import { deriveIds } from "./new-ids.ts";
import { invalidField, PROBLEM_TYPE, ProblemError } from "./problem.ts";
import { IMPORT_PATH } from "./request-limits.ts";

const MAX_KEY_LENGTH = 255;
const STORED_HEADERS = ["content-type", "etag", "location"] as const;

/** `owner`: whose the request is. */
export const replayRepeatedPosts = (owner: "workspace" | "person") =>
  createMiddleware<ApiContext>(async (context, next) => {
    const key = context.req.header("idempotency-key");
    if (context.req.method !== "POST" || key === undefined) {
      await next();
      return undefined;
    }
    requireUsable(key);
    // An import is read as it arrives, and not twice: it is carried out again each time, with the same ids.
    const isStreamed = context.req.path === IMPORT_PATH;
    const { subject, ownerId } = ownerOf(context, owner);
    const { pathname, search } = new URL(context.req.url);
    const body = isStreamed ? new ArrayBuffer(0) : await context.req.arrayBuffer();
    const claim = {
      ownerId,
      key: await sha256Hex(new TextEncoder().encode(`${subject}\n${key}`)),
      requestHash: await hashRequest(`POST ${pathname}${search}`, body),
      attemptId: uuidv7(),
    };
    const database = context.get("database");
    const found = await claimKey(database, claim);
    if (found.kind === "answered") {
      return toReplay(found.answer, context.get("requestId"));
    }
    if (found.kind === "mismatch") {
      throw new ProblemError("idempotency_mismatch");
    }
    if (found.kind === "in-progress" && !isStreamed) {
      throw new ProblemError("idempotency_in_progress");
    }
    const isRetry = found.kind === "in-progress" || found.isRetry;
    context.set("newIds", deriveIds(claim, { firstAtMs: found.firstAtMs, isRetry }));
    await next();
    const { status } = context.res;
    if (status === 422 && !isRetry) {
      await forgetKey(database, claim);
    } else if (isWorthStoring(status) && !isStreamed) {
      await storeAnswer(database, claim, await toStoredAnswer(context.res));
    } else {
      await releaseKey(database, claim);
    }
    return undefined;
  });

function ownerOf(context: Context<ApiContext>, owner: "workspace" | "person") {
  const person = context.get("person");
  if (owner === "person" && person !== null) {
    return { subject: `person:${person.personId}`, ownerId: person.personId };
  }
  const token = context.get("operatorToken");
  if (token !== undefined) {
    return { subject: "operator", ownerId: token };
  }
  const { subject, workspaceId: ownerId } = context.get("principal");
  return { subject, ownerId };
}

function requireUsable(key: string): void {
  if (key.length > MAX_KEY_LENGTH || !/^[\x20-\x7e]+$/.test(key)) {
    throw invalidField(
      "Idempotency-Key",
      `is not usable as a key: use 1 to ${MAX_KEY_LENGTH} printable ASCII characters`,
    );
  }
}

async function hashRequest(target: string, body: ArrayBuffer): Promise<string> {
  const head = new TextEncoder().encode(`${target}\n`);
  return sha256Hex(await new Blob([head, body]).arrayBuffer());
}

function isWorthStoring(status: number): boolean {
  return status < 500 && ![401, 403, 422, 429].includes(status);
}

type StoredAnswer = {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  /** `null` where it held a secret. */
  readonly body: string | null;
};

async function toStoredAnswer(response: Response): Promise<StoredAnswer> {
  const headers = STORED_HEADERS.flatMap((name) => {
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

function toReplay({ status, headers, body }: StoredAnswer, requestId: string): Response {
  if (body === null) {
    throw new ProblemError("idempotency_secret");
  }
  // Without one there was no body: of a 202, say.
  const hasBody = headers["content-type"] !== undefined;
  const isProblem = headers["content-type"] === PROBLEM_TYPE;
  const text = isProblem ? JSON.stringify({ ...JSON.parse(body), requestId }) : body;
  return new Response(hasBody ? text : null, {
    status,
    headers: { ...headers, "idempotency-replayed": "true" },
  });
}

type Claim = {
  readonly ownerId: string;
  /** SHA-256 over the caller and the header's value, hexadecimal. */
  readonly key: string;
  /** SHA-256, hexadecimal. */
  readonly requestHash: string;
  /** UUIDv7 of this attempt: it tells when the attempt began. */
  readonly attemptId: string;
};

/** `firstAtMs`: when the first attempt began, epoch milliseconds. */
type ClaimOutcome =
  | { readonly kind: "claimed"; readonly firstAtMs: number; readonly isRetry: boolean }
  | { readonly kind: "in-progress"; readonly firstAtMs: number }
  | { readonly kind: "answered"; readonly answer: StoredAnswer }
  | { readonly kind: "mismatch" };

/**
 * Claims the key for this attempt, or says what became of the attempt that has it. A key without an answer is free again after
 * a minute, and one older than a day is as good as new.
 */
async function claimKey(database: Database, claim: Claim): Promise<ClaimOutcome> {
  const { ownerId, key, requestHash, attemptId } = claim;
  const isExpired = sql`kept.created_at < now() - interval '1 day'`;
  const { rows } = await database.execute(sql`
    INSERT INTO idempotency_keys AS kept (owner_id, key, request_hash, attempt_id)
    VALUES (${ownerId}::uuid, ${key}, decode(${requestHash}, 'hex'), ${attemptId}::uuid)
    ON CONFLICT (owner_id, key) DO UPDATE SET
      request_hash = excluded.request_hash, attempt_id = excluded.attempt_id, status = NULL, headers = NULL,
      body = NULL, created_at = CASE WHEN ${isExpired} THEN now() ELSE kept.created_at END
    WHERE ${isExpired} OR (kept.status IS NULL AND kept.request_hash = excluded.request_hash
      AND kept.attempt_id < ${uuidv7({ msecs: Date.now() - ABANDONED_MS })}::uuid)
    RETURNING ${FIRST_AT_MS} AS first_at_ms, created_at < now() AS is_retry`);
  const row = rows[0];
  return row === undefined
    ? readClaim(database, claim)
    : { kind: "claimed", firstAtMs: Number(row["first_at_ms"]), isRetry: row["is_retry"] === true };
}

/** An attempt without an answer is given up after this long. */
const ABANDONED_MS = 60_000;

const FIRST_AT_MS = sql`(extract(epoch FROM created_at) * 1000)::bigint`.mapWith(Number);

async function readClaim(database: Database, { ownerId, key, requestHash }: Claim): Promise<ClaimOutcome> {
  const [found] = await database
    .select({
      isSame: sql<boolean>`${eq(idempotencyKeys.requestHash, requestHash)}`,
      status: idempotencyKeys.status,
      headers: idempotencyKeys.headers,
      body: idempotencyKeys.body,
      firstAtMs: FIRST_AT_MS,
    })
    .from(idempotencyKeys)
    .where(and(eq(idempotencyKeys.ownerId, ownerId), eq(idempotencyKeys.key, key)));
  if (found?.isSame !== true) {
    return { kind: "mismatch" };
  }
  const { status, headers, body, firstAtMs } = found;
  return status === null
    ? { kind: "in-progress", firstAtMs }
    : { kind: "answered", answer: { status, headers: headers ?? {}, body } };
}

/** Of one answer, in UTF-8. A list of five hundred links is larger. */
const MAX_ANSWER_BYTES = 256 * 1024;
/** Of a workspace, or a person, on one day. */
const MAX_STORED_BYTES = 20_000_000;

/** What is too large, or more than its owner has room for, is not kept. Does nothing when another attempt has claimed the key since. */
async function storeAnswer(database: Database, claim: Claim, answer: StoredAnswer): Promise<void> {
  const bytes = new TextEncoder().encode(answer.body ?? "").byteLength;
  if (bytes > MAX_ANSWER_BYTES) {
    await releaseKey(database, claim);
    return;
  }
  const hasRoom = sql`EXISTS (SELECT FROM room)`;
  await database.execute(sql`
    WITH room AS (
      INSERT INTO stored_answers AS kept (owner_id, day, bytes)
      SELECT owner_id, current_date, ${bytes}::bigint FROM idempotency_keys WHERE ${isHeldBy(claim)}
      ON CONFLICT (owner_id, day) DO UPDATE SET bytes = kept.bytes + excluded.bytes
      WHERE kept.bytes + excluded.bytes <= ${MAX_STORED_BYTES} RETURNING 1
    )
    UPDATE idempotency_keys SET attempt_id = CASE WHEN ${hasRoom} THEN attempt_id ELSE ${NIL}::uuid END,
      status = CASE WHEN ${hasRoom} THEN ${answer.status}::smallint END,
      headers = CASE WHEN ${hasRoom} THEN ${JSON.stringify(answer.headers)}::jsonb END,
      body = CASE WHEN ${hasRoom} THEN ${answer.body}::text END
    WHERE ${isHeldBy(claim)}`);
}

/** Nothing was done: the key may be used for the request as it should have been. */
async function forgetKey(database: Database, claim: Claim): Promise<void> {
  await database.delete(idempotencyKeys).where(isHeldBy(claim));
}

/** The next attempt may start at once. The row stays, because this one may have been carried out all the same. */
async function releaseKey(database: Database, claim: Claim): Promise<void> {
  await database.update(idempotencyKeys).set({ attemptId: NIL }).where(isHeldBy(claim));
}

function isHeldBy({ ownerId, key, attemptId }: Claim) {
  return and(
    eq(idempotencyKeys.ownerId, ownerId),
    eq(idempotencyKeys.key, key),
    eq(idempotencyKeys.attemptId, attemptId),
  );
}
