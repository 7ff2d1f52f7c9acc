/**
 * How often a network and an account may try a password, a token or an email: counted in the database, so worldwide, and before
 * anything is looked up, so that a refusal says nothing about the account. Passwords and emails are counted apart: whoever
 * tries passwords for somebody else's account does not shut them out of their emails.
 */
import { sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import { readNetwork } from "../http/network-limits.ts";
import { ProblemError } from "../http/problem.ts";

type Limit = {
  readonly by: "network" | "account";
  readonly most: number;
  readonly seconds: number;
};

const MINUTE = 60;
const HOUR = 3_600;

/** A network may be an office, or a mobile operator. By the hour, so that nobody has us fill somebody's mailbox. */
const LIMITS: { readonly [kind in "password" | "email" | "token"]: readonly Limit[] } = {
  password: [
    { by: "network", most: 60, seconds: MINUTE },
    { by: "account", most: 10, seconds: MINUTE },
  ],
  email: [
    { by: "network", most: 30, seconds: MINUTE },
    { by: "account", most: 3, seconds: MINUTE },
    { by: "network", most: 200, seconds: HOUR },
    { by: "account", most: 20, seconds: HOUR },
  ],
  token: [{ by: "network", most: 60, seconds: MINUTE }],
};

export type Attempt = {
  readonly kind: keyof typeof LIMITS;
  readonly headers: Headers;
  /** An email address in lower case; `null` for a token, which is too long to be guessed. */
  readonly account: string | null;
};

/** Counts the attempt. Throws `ProblemError` rate_limited, with the seconds to wait, if there were too many. */
export async function countAttempt(
  database: Database,
  { kind, headers, account }: Attempt,
  secret: string,
): Promise<void> {
  const values = { network: readNetwork(headers), account };
  const counted = LIMITS[kind].filter(({ by }) => values[by] !== null);
  const subjects = await Promise.all(
    counted.map(({ by, seconds }) => hideName(`${kind} ${by} ${seconds} ${values[by]}`, secret)),
  );
  if (subjects.length === 0) {
    return;
  }
  const seconds = sql.param(counted.map((limit) => limit.seconds));
  const window = sql`(SELECT seconds FROM wanted WHERE wanted.subject = kept.subject) * interval '1 second'`;
  const isSameWindow = sql`kept.window_started_at > now() - ${window}`;
  const { rows } = await database.execute(sql`
    WITH wanted AS (
      SELECT decode(subject, 'hex') AS subject, seconds
      FROM unnest(${sql.param(subjects)}::text[], ${seconds}::int[]) AS wanted (subject, seconds)
    ),
    forgotten AS (
      DELETE FROM credential_attempts WHERE subject IN (
        SELECT subject FROM credential_attempts
        WHERE window_started_at < now() - interval '2 hours' AND subject NOT IN (SELECT subject FROM wanted)
        LIMIT 10 FOR UPDATE SKIP LOCKED)
    )
    INSERT INTO credential_attempts AS kept (subject, window_started_at, attempts)
    -- Always in the same order, or two requests would wait for each other.
    SELECT subject, now(), 1 FROM wanted ORDER BY 1
    ON CONFLICT (subject) DO UPDATE SET
      attempts = CASE WHEN ${isSameWindow} THEN kept.attempts + 1 ELSE 1 END,
      window_started_at = CASE WHEN ${isSameWindow} THEN kept.window_started_at ELSE now() END
    RETURNING encode(subject, 'hex') AS subject, attempts,
      greatest(1, ceil(extract(epoch FROM window_started_at + ${window} - now())))::int AS ends_in_s`);
  const waits = rows.flatMap((row) => {
    const limit = counted[subjects.indexOf(String(row["subject"]))];
    return Number(row["attempts"]) > (limit?.most ?? 0) ? [Number(row["ends_in_s"])] : [];
  });
  if (waits.length > 0) {
    throw new ProblemError("rate_limited", [], { "retry-after": String(Math.max(...waits)) });
  }
}

async function hideName(name: string, secret: string): Promise<string> {
  const encode = (text: string) => new TextEncoder().encode(text);
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encode(secret), hmac, false, ["sign"]);
  const bytes = await crypto.subtle.sign("HMAC", key, encode(`hopline attempt v1\n${name}`));
  return Array.from(new Uint8Array(bytes, 0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
