/** Idempotency keys in Postgres, each by workspace. */
import { sql } from "drizzle-orm";
import type { Database } from "../database.ts";

export type Claim = {
  readonly workspaceId: string;
  readonly key: string;
  /** SHA-256, hexadecimal. */
  readonly requestHash: string;
  /** UUID of this attempt. */
  readonly attemptId: string;
};

export type KeptAnswer = {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  /** `null` where it held a secret. */
  readonly body: string | null;
};

export type ClaimOutcome =
  | { readonly kind: "claimed" }
  | { readonly kind: "answered"; readonly answer: KeptAnswer }
  | { readonly kind: "refused"; readonly problem: "idempotency_mismatch" | "idempotency_in_progress" };

/**
 * Takes the key for this attempt, or says what became of the one that has it. A key of a request that has not
 * answered within a minute is taken over, one older than a day is forgotten.
 */
export async function claimKey(database: Database, claim: Claim): Promise<ClaimOutcome> {
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
      headers: row["headers"] as KeptAnswer["headers"],
      body: typeof body === "string" ? body : null,
    },
  };
}

/** Ends an attempt with its answer. Does nothing when another attempt has taken over. */
export async function keepAnswer(database: Database, claim: Claim, answer: KeptAnswer): Promise<void> {
  await database.execute(sql`
    UPDATE idempotency_keys
    SET status = ${answer.status}, headers = ${JSON.stringify(answer.headers)}::jsonb, body = ${answer.body}
    WHERE workspace_id = ${claim.workspaceId}::uuid AND key = ${claim.key} AND attempt_id = ${claim.attemptId}::uuid`);
}

/** Ends an attempt as though it had not been. */
export async function releaseKey(database: Database, claim: Claim): Promise<void> {
  await database.execute(sql`
    DELETE FROM idempotency_keys
    WHERE workspace_id = ${claim.workspaceId}::uuid AND key = ${claim.key} AND attempt_id = ${claim.attemptId}::uuid`);
}
