/**
 * Idempotency-Key on POSTs: the first request with a key is carried out, and later ones get its answer, for a day. Keys are
 * stored in Postgres, each within its workspace.
 *
 * The same key with a different request is 422, and 409 while the first one is in progress. Answers that ask for a retry
 * (5xx, 429) and refusals before any work (401, 403) are not stored. A request that died without an answer frees its key after
 * a minute; whether its work was done is for the client to look up.
 */
import { sql } from "drizzle-orm";
import { createMiddleware } from "hono/factory";
import type { Database } from "../database.ts";
import { sha256Hex } from "./api-key.ts";
import type { ApiContext } from "./authenticate.ts";
import { invalidField, toProblemResponse } from "./problem.ts";
import { IMPORT_PATH } from "./request-limits.ts";

const MAX_KEY_LENGTH = 255;
const STORED_HEADERS = ["content-type", "etag", "location"] as const;

export function replayRepeatedPosts(database: Database) {
  return createMiddleware<ApiContext>(async (context, next) => {
    const key = context.req.header("idempotency-key");
    // An import's body is not read twice: its slugs make a repetition harmless.
    if (context.req.method !== "POST" || key === undefined || context.req.path === IMPORT_PATH) {
      await next();
      return undefined;
    }
    requireUsable(key);
    const url = new URL(context.req.url);
    const requestHash = await hashRequest(url.pathname + url.search, await context.req.arrayBuffer());
    const { workspaceId } = context.get("principal");
    const claim = { workspaceId, key, requestHash, attemptId: crypto.randomUUID() };
    const found = await claimKey(database, claim);
    if (found.kind !== "claimed") {
      return found.kind === "answered" ? toReplay(found.answer) : toProblemResponse(found.problem);
    }
    await next();
    if (isWorthStoring(context.res.status)) {
      await storeAnswer(database, claim, await toStoredAnswer(context.res));
    } else {
      await releaseKey(database, claim);
    }
    return undefined;
  });
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
  return status < 500 && ![401, 403, 429].includes(status);
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

function toReplay({ status, headers, body }: StoredAnswer): Response {
  if (body === null) {
    return toProblemResponse("idempotency_secret");
  }
  return new Response(status === 204 ? null : body, {
    status,
    headers: { ...headers, "idempotency-replayed": "true" },
  });
}

type Claim = {
  readonly workspaceId: string;
  readonly key: string;
  /** SHA-256, hexadecimal. */
  readonly requestHash: string;
  /** UUID of this attempt. */
  readonly attemptId: string;
};

type ClaimOutcome =
  | { readonly kind: "claimed" }
  | { readonly kind: "answered"; readonly answer: StoredAnswer }
  | { readonly kind: "refused"; readonly problem: "idempotency_mismatch" | "idempotency_in_progress" };

/**
 * Claims the key for this attempt, or says what became of the attempt that has it. A key without an answer is free again after
 * a minute; one older than a day is deleted.
 */
async function claimKey(database: Database, claim: Claim): Promise<ClaimOutcome> {
  const { workspaceId, key, requestHash, attemptId } = claim;
  const { rows } = await database.execute(sql`
    WITH expired AS (
      DELETE FROM idempotency_keys
      WHERE workspace_id = ${workspaceId}::uuid AND created_at < now() - interval '1 day' AND key <> ${key}
    )
    INSERT INTO idempotency_keys AS kept (workspace_id, key, request_hash, attempt_id)
    VALUES (${workspaceId}::uuid, ${key}, decode(${requestHash}, 'hex'), ${attemptId}::uuid)
    ON CONFLICT (workspace_id, key) DO UPDATE SET
      request_hash = excluded.request_hash, attempt_id = excluded.attempt_id, status = NULL, headers = NULL,
      body = NULL, created_at = now()
    WHERE kept.created_at < now() - interval '1 day'
      OR (kept.status IS NULL AND kept.request_hash = excluded.request_hash
        AND kept.created_at < now() - interval '1 minute')
    RETURNING 1`);
  return rows.length === 1 ? { kind: "claimed" } : readClaim(database, claim);
}

async function readClaim(
  database: Database,
  { workspaceId, key, requestHash }: Claim,
): Promise<ClaimOutcome> {
  const { rows } = await database.execute(sql`
    SELECT request_hash = decode(${requestHash}, 'hex') AS is_same, status, headers, body
    FROM idempotency_keys WHERE workspace_id = ${workspaceId}::uuid AND key = ${key}`);
  const row = rows[0];
  if (row === undefined || (row["is_same"] === true && row["status"] === null)) {
    return { kind: "refused", problem: "idempotency_in_progress" };
  }
  if (row["is_same"] !== true) {
    return { kind: "refused", problem: "idempotency_mismatch" };
  }
  const body = row["body"];
  return {
    kind: "answered",
    answer: {
      status: Number(row["status"]),
      headers: row["headers"] as StoredAnswer["headers"],
      body: typeof body === "string" ? body : null,
    },
  };
}

/** Does nothing when another attempt has claimed the key since. */
async function storeAnswer(database: Database, claim: Claim, answer: StoredAnswer): Promise<void> {
  await database.execute(sql`
    UPDATE idempotency_keys
    SET status = ${answer.status}, headers = ${JSON.stringify(answer.headers)}::jsonb, body = ${answer.body}
    WHERE workspace_id = ${claim.workspaceId}::uuid AND key = ${claim.key} AND attempt_id = ${claim.attemptId}::uuid`);
}

/** As if the attempt had never been made. */
async function releaseKey(database: Database, claim: Claim): Promise<void> {
  await database.execute(sql`
    DELETE FROM idempotency_keys
    WHERE workspace_id = ${claim.workspaceId}::uuid AND key = ${claim.key} AND attempt_id = ${claim.attemptId}::uuid`);
}
