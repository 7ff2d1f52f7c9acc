/**
 * better-auth (https://better-auth.com), as far as Hopline uses it: passwords, links to sign in, sessions and their cookies.
 * Heavy, so nothing imports this file but by `import()` (people/load-auth.ts).
 *
 * Its router is not reachable: our operations call its functions, so that there is one form of error, one document and one
 * set of limits. The database driver has no interactive transactions, so each call may be cut off between two statements;
 * workers/api/test/people/half-finished.test.ts cuts off each. Workspaces, members and invitations, where that could leave a
 * workspace without an owner, are single statements of ours in the tables of its organisation plugin.
 */
import { accounts, people, sessions, verifications } from "@hopline/db/schema";
import { drizzleAdapter } from "better-auth/adapters/drizzle";
import { createAuthEndpoint, isAPIError } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";
import { betterAuth } from "better-auth/minimal";
import { magicLink } from "better-auth/plugins/magic-link";
import { z } from "zod";
import type { Database } from "../database.ts";
import { newEntityId } from "../http/entity-id.ts";
import type { Passwords } from "./password-hash.ts";
import { maySignUp, type PeopleSettings } from "./people-settings.ts";
import { isInvited } from "./invitation-store.ts";
import { SESSION_SECONDS, sessionCookieOf } from "./session-cookie.ts";

/** Long enough for an email that takes its time, and short for one that lies around. */
const LINK_SECONDS = 15 * 60;

/** What a browser gets: the header fields that set its session's cookie. */
export type StartedSession = { readonly personId: string; readonly setCookie: readonly string[] };

export type Auth = {
  /** `null` for a wrong password and for an unknown address, after one hash of a password in each case. */
  readonly signIn: (email: string, password: string) => Promise<StartedSession | null>;
  /** A new one-time token that signs this address in, and makes its account if there is none and SIGN_UP allows it then. */
  readonly createLinkToken: (email: string) => Promise<string>;
  /** `null` for a token that was used, is too old, or never existed. */
  readonly openLink: (token: string) => Promise<StartedSession | null>;
  /** For a person who has proved in another way who they are. */
  readonly startSession: (personId: string) => Promise<StartedSession>;
};

export type AuthDeps = {
  readonly database: Database;
  readonly settings: PeopleSettings;
  readonly passwords: Passwords;
};

export async function createAuth({ database, settings, passwords }: AuthDeps): Promise<Auth> {
  const isAllowed = async (email: string) =>
    maySignUp(settings.signUp, { email, isInvited: await isInvited(database, email) });
  const auth = betterAuth({
    appName: "Hopline",
    baseURL: settings.appOrigin,
    secret: settings.secrets[0],
    database: drizzleAdapter(database, {
      provider: "pg",
      schema: { user: people, session: sessions, account: accounts, verification: verifications },
      transaction: false,
    }),
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      password: {
        hash: passwords.hash,
        verify: ({ password, hash }) => passwords.verify(password, hash),
      },
    },
    account: { fields: { userId: "personId" } },
    session: { fields: { userId: "personId" }, expiresIn: SESSION_SECONDS, disableSessionRefresh: true },
    databaseHooks: {
      // An invitation may have been withdrawn, or an account deleted, since the link was sent.
      user: { create: { before: ({ email }) => isAllowed(email) } },
    },
    plugins: [
      magicLink({
        expiresIn: LINK_SECONDS,
        storeToken: "hashed",
        // The caller that asked for the token writes the email.
        sendMagicLink: ({ token, metadata }) => (metadata as TokenTaker).take(token),
      }),
      startSessionPlugin,
    ],
    advanced: {
      database: { generateId: newEntityId },
      ipAddress: { disableIpTracking: true },
      // The name says it all: `__Host-` where there is https.
      useSecureCookies: false,
      cookies: { session_token: sessionCookieOf(settings.appOrigin) },
    },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    // It logs addresses.
    logger: { disabled: true },
  });
  await auth.$context;
  const headers = () => new Headers();
  return {
    signIn: (email, password) =>
      nullIfRefused(
        auth.api.signInEmail({ body: { email, password }, headers: headers(), returnHeaders: true }),
        UNAUTHORIZED,
      ),

    async createLinkToken(email) {
      const name = email.slice(0, email.lastIndexOf("@"));
      const { promise, resolve: take } = Promise.withResolvers<string>();
      const metadata: TokenTaker = { take };
      await auth.api.signInMagicLink({ body: { email, name, metadata }, headers: headers() });
      return promise;
    },

    openLink: (token) =>
      nullIfRefused(
        auth.api.magicLinkVerify({ query: { token }, headers: headers(), returnHeaders: true }),
        FOUND,
      ),

    startSession: async (personId) =>
      toStarted(await auth.api.startSession({ body: { personId }, headers: headers(), returnHeaders: true })),
  };
}

/** Not reachable by HTTP, like everything of better-auth's here. */
const startSessionPlugin = {
  id: "hopline-start-session",
  endpoints: {
    startSession: createAuthEndpoint(
      "/start-session",
      { method: "POST", body: z.object({ personId: z.string() }) },
      async (ctx) => {
        const user = await ctx.context.internalAdapter.findUserById(ctx.body.personId);
        if (user === null) {
          throw new Error("invariant: the person was found or made just now");
        }
        const session = await ctx.context.internalAdapter.createSession(user.id);
        await setSessionCookie(ctx, { session, user });
        return { user };
      },
    ),
  },
} as const;

/** Of one call: two at the same time must not get each other's token. */
type TokenTaker = { readonly take: (token: string) => void };

const UNAUTHORIZED = 401;
/** How a link that can't be used is answered: with a redirect to a page that says so. */
const FOUND = 302;

type WithHeaders = {
  readonly headers: Headers;
  readonly response: { readonly user: { readonly id: string } };
};

function toStarted({ headers, response }: WithHeaders): StartedSession {
  return { personId: response.user.id, setCookie: headers.getSetCookie() };
}

async function nullIfRefused(call: Promise<WithHeaders>, refusal: number): Promise<StartedSession | null> {
  try {
    return toStarted(await call);
  } catch (error) {
    if (isAPIError(error) && error.statusCode === refusal) {
      return null;
    }
    throw error;
  }
}
