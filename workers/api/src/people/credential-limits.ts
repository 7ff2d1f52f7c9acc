/**
 * How often a network and an account may try a password, a token or an email: counted in the database, so worldwide, and before
 * anything is looked up, so that a refusal says nothing about the account. Passwords and emails are counted apart: whoever
 * tries passwords for somebody else's account does not shut them out of their emails.
 */
import { sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import { readNetwork } from "../http/network-limits.ts";

/** In a minute. A network may be an office, or a mobile operator. */
const LIMITS = {
  password: { network: 60, account: 10 },
  email: { network: 30, account: 3 },
  token: { network: 60, account: 60 },
} as const;

export type Attempt = {
  readonly kind: keyof typeof LIMITS;
  readonly headers: Headers;
  /** An email address in lower case; `null` for a token, which is too long to be guessed. */
  readonly account: string | null;
};

/** Counts the attempt. False if there were too many. */
export async function isWithinLimits(
  database: Database,
  { kind, headers, account }: Attempt,
  secret: string,
): Promise<boolean> {
  const limits = LIMITS[kind];
  const network = readNetwork(headers);
  const counted = [
    { name: network === null ? null : `${kind} network ${network}`, limit: limits.network },
    { name: account === null ? null : `${kind} account ${account}`, limit: limits.account },
  ].filter((one): one is { name: string; limit: 60 } => one.name !== null);
  const subjects = await Promise.all(counted.map(({ name }) => hideName(name, secret)));
  if (subjects.length === 0) {
    return true;
  }
  const isSameWindow = sql`kept.window_started_at > now() - interval '60 seconds'`;
  const { rows } = await database.execute(sql`
    WITH forgotten AS (
      DELETE FROM credential_attempts WHERE subject IN (
        SELECT subject FROM credential_attempts
        WHERE window_started_at < now() - interval '1 hour' AND encode(subject, 'hex') <> ALL (${sql.param(subjects)}::text[])
        LIMIT 10 FOR UPDATE SKIP LOCKED)
    )
    INSERT INTO credential_attempts AS kept (subject, window_started_at, attempts)
    -- Always in the same order, or two requests would wait for each other.
    SELECT decode(subject, 'hex'), now(), 1 FROM unnest(${sql.param(subjects)}::text[]) AS subject ORDER BY 1
    ON CONFLICT (subject) DO UPDATE SET
      attempts = CASE WHEN ${isSameWindow} THEN kept.attempts + 1 ELSE 1 END,
      window_started_at = CASE WHEN ${isSameWindow} THEN kept.window_started_at ELSE now() END
    RETURNING encode(subject, 'hex') AS subject, attempts`);
  return rows.every(({ subject, attempts }) => {
    const limit = counted[subjects.indexOf(String(subject))]?.limit ?? 0;
    return Number(attempts) <= limit;
  });
}

async function hideName(name: string, secret: string): Promise<string> {
  const encode = (text: string) => new TextEncoder().encode(text);
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encode(secret), hmac, false, ["sign"]);
  const bytes = await crypto.subtle.sign("HMAC", key, encode(`hopline attempt v1\n${name}`));
  return Array.from(new Uint8Array(bytes, 0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
