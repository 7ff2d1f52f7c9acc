/** People over the stage's database: emails are kept instead of sent, password hashes are cheap and counted. */
import { createHmac, randomUUID } from "node:crypto";
import type pg from "pg";
import { newEntityId } from "../../src/http/entity-id.ts";
import type { Role } from "../../src/http/roles.ts";
import { sessionCookieOf } from "../../src/people/session-cookie.ts";
import type { Database } from "../../src/database.ts";
import type { Log } from "../../src/log.ts";
import type { EmailMessage, SendEmail } from "../../src/people/email/email-message.ts";
import { createAuthLoader } from "../../src/people/load-auth.ts";
import { createPasswords } from "../../src/people/password-hash.ts";
import type { PeopleDeps } from "../../src/people/people-deps.ts";
import type { PeopleSettings } from "../../src/people/people-settings.ts";
import { createProviderLoader } from "../../src/people/providers/load-providers.ts";
import type { Publisher } from "../../src/publishing/publish-changes.ts";
import { sendEmailsNow } from "../../src/run-due-work.ts";

/** What Hono's `app.request` makes of a path. */
export const APP_ORIGIN = "http://localhost";

const GOOGLE = "https://accounts.google.com";

/** As far as a browser is sent there. */
async function discoverGoogle(): Promise<Response> {
  return Response.json({ issuer: GOOGLE, authorization_endpoint: `${GOOGLE}/o/oauth2/v2/auth` });
}

export type PeopleChange = Partial<PeopleSettings> & {
  readonly sendEmail?: SendEmail | null;
  /** How identity providers are reached. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
};

type Deps = { readonly database: Database; readonly publisher: Publisher; readonly log: Log };

export function createPeople(
  { sendEmail, fetch = discoverGoogle, ...change }: PeopleChange,
  { database, publisher, log }: Deps,
) {
  const settings: PeopleSettings = {
    appOrigin: APP_ORIGIN,
    secrets: ["a secret of these tests that is long enough"],
    signUp: { kind: "invited" },
    providers: [
      {
        id: "google",
        name: "Google",
        issuer: GOOGLE,
        clientId: "client-of-the-tests",
        clientSecret: "secret of the client",
      },
    ],
    ...change,
  };
  const emails: EmailMessage[] = [];
  const counts = { hashed: 0 };
  const cheap = createPasswords(settings.secrets, 10);
  const passwords: typeof cheap = {
    hash(password) {
      counts.hashed += 1;
      return cheap.hash(password);
    },
    verify(password, hash) {
      counts.hashed += 1;
      return cheap.verify(password, hash);
    },
  };
  const toCookie = (token: string) => {
    const signature = createHmac("sha256", settings.secrets[0]).update(token).digest("base64");
    return `${sessionCookieOf(settings.appOrigin).name}=${encodeURIComponent(`${token}.${signature}`)}`;
  };
  let sending = Promise.resolve();
  const deps: PeopleDeps = {
    settings,
    passwords,
    loadAuth: createAuthLoader({ database, settings, passwords }),
    loadProviders: createProviderLoader({ fetch, nowMs: Date.now }),
    sendEmail: sendEmail === undefined ? async (email) => void emails.push(email) : sendEmail,
    sendWaitingEmails() {
      // As in production: what was not sent is sent by the job.
      sending = sending.then(sendEmails).catch(() => undefined);
    },
  };
  const sendEmails = () =>
    sendEmailsNow(5_000, {
      database,
      people: deps,
      publisher,
      log,
      newLeaseId: randomUUID,
      nowMs: Date.now,
      lookUpTexts: () => Promise.reject(new Error("no DNS here")),
      customHostnames: null,
      auditRetentionDays: null,
    });
  return {
    deps,
    emails,
    counts,
    /** The cookie of a session with this token. */
    toCookie,
    /** As the minute's job does it. */
    sendEmails,
    /** The emails that were sent so far, once those behind the responses are. */
    settledEmails: async (): Promise<readonly EmailMessage[]> => {
      await sending;
      return emails;
    },
    /** The link in the newest email that has one, to this address or to any; empty if none has. Notices may be sent after it. */
    lastLink: async (address?: string): Promise<string> => {
      await sending;
      const isWanted = (email: EmailMessage) => address === undefined || email.to === address;
      return (
        emails
          .filter(isWanted)
          .map(linkIn)
          .findLast((link) => link !== "") ?? ""
      );
    },
  };
}

/** The link in an email. */
export function linkIn({ text }: EmailMessage): string {
  return /^https?:\S+$/m.exec(text)?.[0] ?? "";
}

export type TestPerson = {
  readonly personId: string;
  readonly email: string;
  readonly sessionId: string;
  /** Of the session. */
  readonly token: string;
  /** In the workspace; empty if the person is in none. */
  readonly memberId: string;
};

/** A person with a session, in the workspace in this role, or in none. Straight into the tables. */
export async function addPerson(
  client: pg.Client,
  membership: { readonly workspaceId: string; readonly role: Role } | null,
  isOperator = false,
): Promise<TestPerson> {
  const [personId, sessionId, memberId] = [newEntityId(), newEntityId(), newEntityId()];
  const email = `${personId}@example.com`;
  await client.query(
    "INSERT INTO people (id, name, email, email_verified, is_operator) VALUES ($1, 'Test', $2, true, $3)",
    [personId, email, isOperator],
  );
  await client.query(
    "INSERT INTO sessions (id, person_id, token, expires_at) VALUES ($1, $2, $3, now() + interval '1 day')",
    [sessionId, personId, `token-of-${sessionId}`],
  );
  if (membership !== null) {
    await client.query("INSERT INTO members (id, workspace_id, person_id, role) VALUES ($1, $2, $3, $4)", [
      memberId,
      membership.workspaceId,
      personId,
      membership.role,
    ]);
  }
  return {
    personId,
    email,
    sessionId,
    token: `token-of-${sessionId}`,
    memberId: membership === null ? "" : memberId,
  };
}
