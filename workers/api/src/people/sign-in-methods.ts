/**
 * The ways in which a person can sign in. A way counts while the deployment offers it: a link by email where emails can be sent,
 * and an account at an identity provider while that provider is configured. The last one that counts can't be removed.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import { ProblemError } from "../http/problem.ts";
import type { PeopleDeps } from "./people-deps.ts";

type Offered = Pick<PeopleDeps, "settings" | "sendEmail">;

export type StoredMethod = {
  readonly id: string;
  readonly kind: "password" | "passkey" | "provider";
  /** Of a passkey its name, of a provider's account its issuer. */
  readonly label: string;
  readonly createdAtMs: number;
};

/** Passkeys, the password and accounts at identity providers, oldest first; and the account's address. */
export async function listStoredMethods(
  database: Database,
  personId: string,
): Promise<{ readonly email: string; readonly methods: readonly StoredMethod[] }> {
  const [person, { rows }] = await database.batch([
    database.execute(sql`SELECT email FROM people WHERE id = ${personId}::uuid`),
    database.execute(sql`
    SELECT id, CASE provider_id WHEN 'credential' THEN 'password' ELSE 'provider' END AS kind, provider_id AS label,
      extract(epoch FROM created_at) * 1000 AS created_at_ms
    FROM accounts WHERE person_id = ${personId}::uuid
    UNION ALL
    SELECT id, 'passkey', name, extract(epoch FROM created_at) * 1000 FROM passkeys WHERE person_id = ${personId}::uuid
    ORDER BY created_at_ms, id`),
  ]);
  const methods = rows.map((row) => ({
    id: String(row["id"]),
    kind: KINDS.find((kind) => kind === row["kind"]) ?? "provider",
    label: String(row["label"]),
    createdAtMs: Math.floor(Number(row["created_at_ms"])),
  }));
  return { email: String(person.rows[0]?.["email"]), methods };
}

const KINDS = ["password", "passkey", "provider"] as const;

/** Whose way it is, and what else the deployment offers. */
export type Removal = {
  readonly table: "accounts" | "passkeys";
  readonly personId: string;
  readonly id: string;
  readonly offered: Offered;
};

/**
 * Removes a password, an account at a provider, or a passkey. Two at once take turns on the person's row, so that together they
 * don't remove the last two. Throws `ProblemError` not_found or last_sign_in_method.
 */
export async function removeMethod(
  database: Database,
  { table, personId, id, offered }: Removal,
): Promise<void> {
  const target = sql`${sql.identifier(table)} WHERE person_id = ${personId}::uuid AND id = ${id}::uuid`;
  const [, removed, { rows: left }] = await database.batch([
    database.execute(sql`SELECT FROM people WHERE id = ${personId}::uuid FOR NO KEY UPDATE`),
    database.execute(sql`DELETE FROM ${target} AND ${hasAnother({ personId, id, offered })} RETURNING id`),
    database.execute(sql`SELECT FROM ${target}`),
  ]);
  if (removed.rows.length === 0) {
    throw new ProblemError(left.length === 0 ? "not_found" : "last_sign_in_method");
  }
}

function hasAnother({ personId, id, offered }: Omit<Removal, "table">): SQL {
  const issuers = offered.settings.providers.map(({ issuer }) => issuer);
  return sql`(${offered.sendEmail !== null}
    OR EXISTS (SELECT FROM passkeys WHERE person_id = ${personId}::uuid AND id <> ${id}::uuid)
    OR EXISTS (
      SELECT FROM accounts AS other WHERE person_id = ${personId}::uuid AND id <> ${id}::uuid
        AND provider_id = ANY(${sql.param(["credential", ...issuers])}::text[])))`;
}
