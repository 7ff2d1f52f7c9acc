/**
 * How often a network and an account may try a password, a token or an email: counted in the database, so worldwide, and before
 * anything is looked up, so that a refusal says nothing about the account. Passwords and emails are counted apart: a stranger who
 * tries passwords for an account does not shut its owner out of emails.
 *
 * No owner is shut out by a stranger's tries. A right password does not count. Beyond an account's limits each network still has one
 * try a minute; beyond those of a day, and beyond a network's own, only networks that have signed in to the account before. A
 * session that goes on needs neither.
 */
import { people } from "@hopline/db/schema";
import { eq, sql } from "drizzle-orm";
import type { Database } from "../database.ts";
import { readNetwork } from "../http/network-limits.ts";
import { ProblemError } from "../http/problem.ts";

type Limit = {
  readonly by: "network" | "account";
  readonly most: number;
  readonly seconds: number;
  /** Beyond it only known networks go on. */
  readonly closes?: true;
};

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

/** A network may be an office, or a mobile operator. */
const GUESSES: readonly Limit[] = [
  { by: "account", most: 10, seconds: MINUTE },
  { by: "account", most: 50, seconds: HOUR },
  { by: "account", most: 100, seconds: DAY, closes: true },
  { by: "network", most: 300, seconds: HOUR, closes: true },
  { by: "network", most: 1_000, seconds: DAY, closes: true },
];

/** Emails by the day too, so that a stranger can't fill a person's mailbox. */
const LIMITS: { readonly [kind in "password" | "proof" | "email" | "workspace"]: readonly Limit[] } = {
  password: GUESSES,
  // A passkey, or the token of an email or of the set-up.
  proof: GUESSES,
  email: [
    { by: "account", most: 3, seconds: MINUTE },
    { by: "account", most: 20, seconds: HOUR },
    { by: "account", most: 100, seconds: DAY, closes: true },
    { by: "network", most: 200, seconds: HOUR, closes: true },
  ],
  workspace: [
    { by: "account", most: 10, seconds: DAY, closes: true },
    { by: "network", most: 20, seconds: DAY, closes: true },
  ],
};

/** Of everything that is sent without a key to sign in, whatever is in it. */
const REQUESTS_A_MINUTE = 120;

export type Attempt = {
  readonly kind: keyof typeof LIMITS;
  readonly headers: Headers;
  /** An email address in lower case, or the session that asks; `null`: it is not known whose it would be. */
  readonly account: string | null;
};

/** What was counted: names of counts. */
export type Counted = readonly string[];

type Count = { readonly subject: string; readonly limit: Limit | null };

/** Counts the attempt, if it may be made. Throws `ProblemError` rate_limited, with the seconds to wait, otherwise. */
export async function countAttempt(database: Database, attempt: Attempt, secret: string): Promise<Counted> {
  const counts = await nameCounts(attempt, secret);
  if (counts.length === 0) {
    return [];
  }
  const known = await hideName(knownNameOf(attempt.account ?? "", attempt.headers), secret);
  const ofLimits = <Value>(read: (limit: Limit | null) => Value) =>
    sql.param(counts.map(({ limit }) => read(limit)));
  const [, { rows }] = await database.batch([
    // One after the other: a hundred at once would all see nine tries. In one order, or two would wait for each other.
    database.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(subject, 0))
      FROM unnest(${sql.param(namesOfTurns(counts))}::text[]) AS turn (subject)`),
    database.execute(sql`
      WITH wanted AS (
        SELECT decode(subject, 'hex') AS subject, most, seconds * interval '1 second' AS span, closes, is_beyond
        FROM unnest(${sql.param(counts.map(({ subject }) => subject))}::text[], ${ofLimits((limit) => limit?.most ?? 1)}::int[],
          ${ofLimits((limit) => limit?.seconds ?? MINUTE)}::int[], ${ofLimits((limit) => limit?.closes === true)}::bool[],
          ${ofLimits((limit) => limit === null)}::bool[]) AS wanted (subject, most, seconds, closes, is_beyond)
      ),
      state AS (
        SELECT wanted.*, ceil(extract(epoch FROM window_started_at + span - now()))::int AS ends_in_s,
          coalesce(attempts >= most AND window_started_at > now() - span, false) AS is_full
        FROM wanted LEFT JOIN credential_attempts AS kept ON kept.subject = wanted.subject
      ),
      judged AS (
        SELECT bool_or(is_full AND NOT is_beyond) AS is_over,
          bool_or(is_full AND (is_beyond OR closes AND NOT is_known)) AS is_barred,
          max(ends_in_s) FILTER (WHERE is_full AND (is_beyond OR closes AND NOT is_known)) AS ends_in_s
        FROM state, (SELECT EXISTS (SELECT FROM known_networks WHERE subject = decode(${known}, 'hex')) AS is_known) AS network
      ),
      forgotten AS (
        DELETE FROM credential_attempts WHERE subject IN (
          SELECT subject FROM credential_attempts
          WHERE window_started_at < now() - interval '25 hours' AND subject NOT IN (SELECT subject FROM wanted)
          LIMIT 10 FOR UPDATE SKIP LOCKED)
      ),
      counted AS (
        INSERT INTO credential_attempts AS kept (subject, window_started_at, attempts)
        -- Always in the same order, or two requests would wait for each other.
        SELECT subject, now(), 1 FROM state, judged
        WHERE NOT (is_over AND is_barred) AND (is_over OR NOT is_beyond) ORDER BY subject
        ON CONFLICT (subject) DO UPDATE SET
          attempts = CASE WHEN kept.window_started_at > now() - (SELECT span FROM wanted WHERE wanted.subject = kept.subject)
            THEN kept.attempts + 1 ELSE 1 END,
          window_started_at = CASE WHEN kept.window_started_at > now() - (SELECT span FROM wanted WHERE wanted.subject = kept.subject)
            THEN kept.window_started_at ELSE now() END
      )
      SELECT is_over AND is_barred AS is_refused, greatest(1, ends_in_s) AS ends_in_s FROM judged`),
  ]);
  if (rows[0]?.["is_refused"] === true) {
    throw tooMany(Number(rows[0]["ends_in_s"]));
  }
  return counts.map(({ subject }) => subject);
}

/** Counts a request of a network that has no key, before its body is judged. Throws `ProblemError` rate_limited. */
export async function countRequest(database: Database, headers: Headers, secret: string): Promise<void> {
  const network = readNetwork(headers);
  if (network === null) {
    return;
  }
  const subject = await hideName(`request network ${MINUTE} ${network}`, secret);
  const isSameWindow = sql`kept.window_started_at > now() - interval '1 minute'`;
  const { rows } = await database.execute(sql`
    INSERT INTO credential_attempts AS kept (subject, window_started_at, attempts)
    VALUES (decode(${subject}, 'hex'), now(), 1)
    ON CONFLICT (subject) DO UPDATE SET
      attempts = CASE WHEN ${isSameWindow} THEN kept.attempts + 1 ELSE 1 END,
      window_started_at = CASE WHEN ${isSameWindow} THEN kept.window_started_at ELSE now() END
    RETURNING attempts, greatest(1, ceil(extract(epoch FROM window_started_at + interval '1 minute' - now())))::int AS ends_in_s`);
  if (Number(rows[0]?.["attempts"]) > REQUESTS_A_MINUTE) {
    throw tooMany(Number(rows[0]?.["ends_in_s"]));
  }
}

export type SignIn = {
  readonly personId: string;
  readonly headers: Headers;
  /** The tries that this one was; it was right, so it does not count. */
  readonly counted: Counted;
};

/** The account knows this network from now on. */
export async function recordSignIn(
  database: Database,
  { personId, headers, counted }: SignIn,
  secret: string,
): Promise<void> {
  const [person] = await database.select({ email: people.email }).from(people).where(eq(people.id, personId));
  if (person === undefined) {
    return;
  }
  const { email } = person;
  const known = await hideName(knownNameOf(email, headers), secret);
  await database.execute(sql`
    WITH mine AS (
      -- In the order in which they were counted, or people of one network would wait for each other.
      SELECT subject FROM credential_attempts
      WHERE subject IN (SELECT decode(subject, 'hex') FROM unnest(${sql.param([...counted])}::text[]) AS given (subject))
      ORDER BY subject FOR NO KEY UPDATE
    ),
    forgiven AS (
      UPDATE credential_attempts AS kept SET attempts = greatest(0, attempts - 1) FROM mine
      WHERE kept.subject = mine.subject
    )
    INSERT INTO known_networks (subject, person_id)
    VALUES (decode(${known}, 'hex'), ${personId}::uuid)
    ON CONFLICT (subject) DO UPDATE SET person_id = excluded.person_id, seen_at = excluded.seen_at`);
}

/** Of the account and of the network. */
function namesOfTurns(counts: readonly Count[]): readonly string[] {
  const firstOf = (by: Limit["by"]) => counts.find(({ limit }) => limit?.by === by)?.subject ?? [];
  return [firstOf("account"), firstOf("network")].flat().toSorted();
}

function tooMany(seconds: number): ProblemError {
  return new ProblemError("rate_limited", [], { "retry-after": String(seconds) });
}

/** The last one is the only try of the network beyond the limits. None: there is nothing to count by. */
async function nameCounts({ kind, headers, account }: Attempt, secret: string): Promise<readonly Count[]> {
  const network = readNetwork(headers);
  const values = { network, account };
  const limits = LIMITS[kind].filter(({ by }) => values[by] !== null);
  if (limits.length === 0) {
    return [];
  }
  const named = limits.map(async (limit) => {
    const { by, seconds } = limit;
    const subject = await hideName(`${kind} ${by} ${seconds} ${values[by]}`, secret);
    // Without an account no network has signed in to it, and an office is not shut out by one of its programs.
    return { subject, limit: account === null ? { by, most: limit.most, seconds } : limit };
  });
  const beyond = hideName(`${kind} beyond ${account ?? ""} ${network ?? ""}`, secret);
  return [...(await Promise.all(named)), { subject: await beyond, limit: null }];
}

function knownNameOf(email: string, headers: Headers): string {
  return `known ${email} ${readNetwork(headers) ?? ""}`;
}

async function hideName(name: string, secret: string): Promise<string> {
  const encode = (text: string) => new TextEncoder().encode(text);
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encode(secret), hmac, false, ["sign"]);
  const bytes = await crypto.subtle.sign("HMAC", key, encode(`hopline attempt v1\n${name}`));
  return Array.from(new Uint8Array(bytes, 0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
