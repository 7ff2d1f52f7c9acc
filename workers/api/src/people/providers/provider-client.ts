/**
 * The conversation with an identity provider: OpenID Connect's authorization code flow with PKCE and nonce, by oauth4webapi
 * (https://github.com/panva/oauth4webapi). Loaded with the first request that needs it (people/providers/load-providers.ts).
 *
 * The ID token comes straight from the provider over TLS, so its claims are checked and its signature need not be (OpenID
 * Connect Core, 3.1.3.7). Nothing of the provider's is kept: neither its tokens nor a picture.
 */
import * as oauth from "oauth4webapi";
import { isPlainText } from "../../http/text-shape.ts";
import { Email } from "../person-shape.ts";
import { GITHUB_ISSUER, isLocal, type ProviderSettings } from "./provider-settings.ts";

/** The person, as the provider says. */
export type Identity = {
  readonly issuer: string;
  /** Of the account there. It never changes, unlike the address. */
  readonly subject: string;
  /** In lower case; `null` unless the provider has verified it. */
  readonly email: string | null;
  readonly name: string;
};

/** What one attempt to sign in knows, and no other. */
export type Attempt = {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly redirectUri: string;
};

export type ProviderClient = {
  /** Where to send the browser. Rejects with `ProviderFailure`. */
  readonly begin: (provider: ProviderSettings, attempt: Attempt) => Promise<string>;
  /** Who came back. `parameters` are those of the callback. Rejects with `ProviderFailure`. */
  readonly finish: (
    provider: ProviderSettings,
    attempt: Attempt,
    parameters: URLSearchParams,
  ) => Promise<Identity>;
};

export class ProviderFailure extends Error {
  /** `refused`: the provider, the person there, or the protocol's checks said no. */
  readonly kind: "unavailable" | "refused";
  /** The protocol's word for it, for the log: `invalid_client`. */
  readonly reason: string;

  constructor(kind: ProviderFailure["kind"], reason: string) {
    super(reason);
    this.name = "ProviderFailure";
    this.kind = kind;
    this.reason = reason;
  }
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>;
type Deps = { readonly fetch: Fetch; readonly nowMs: () => number };

/** Of each request to a provider: a person waits. */
const TIMEOUT_MS = 5_000;
/** Providers change their endpoints about never. */
const DISCOVERY_KEPT_MS = 3_600_000;
/** RFC 7519 allows a subject any length, OpenID Connect 255 characters. */
const MAX_SUBJECT_LENGTH = 255;
const MAX_NAME_LENGTH = 200;

export function createProviderClient({ fetch, nowMs }: Deps): ProviderClient {
  const known = new Map<string, { readonly server: oauth.AuthorizationServer; readonly untilMs: number }>();

  const optionsOf = (issuer: string) => ({
    [oauth.customFetch]: toProviderFetch(fetch),
    [oauth.allowInsecureRequests]: isLocal(issuer),
  });

  async function discover({ issuer }: ProviderSettings): Promise<oauth.AuthorizationServer> {
    if (issuer === GITHUB_ISSUER) {
      return GITHUB_SERVER;
    }
    const held = known.get(issuer);
    if (held !== undefined && held.untilMs > nowMs()) {
      return held.server;
    }
    const url = new URL(issuer);
    const response = await oauth.discoveryRequest(url, optionsOf(issuer));
    const server = await oauth.processDiscoveryResponse(url, response);
    known.set(issuer, { server, untilMs: nowMs() + DISCOVERY_KEPT_MS });
    return server;
  }

  async function exchange(
    provider: ProviderSettings,
    attempt: Attempt,
    parameters: URLSearchParams,
  ): Promise<Identity> {
    const { issuer, clientId } = provider;
    const options = optionsOf(issuer);
    const server = await discover(provider);
    const client: oauth.Client = { client_id: clientId };
    const valid = oauth.validateAuthResponse(server, client, parameters, attempt.state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authenticationOf(provider, server),
      valid,
      attempt.redirectUri,
      attempt.codeVerifier,
      options,
    );
    if (issuer === GITHUB_ISSUER) {
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, response);
      return readGitHubIdentity(tokens.access_token, options);
    }
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: attempt.nonce,
      requireIdToken: true,
    });
    const claims = oauth.getValidatedIdTokenClaims(tokens);
    if (claims === undefined) {
      throw new Error("invariant: an ID token is required");
    }
    if (claims["email"] !== undefined || server.userinfo_endpoint === undefined) {
      return toIdentity(issuer, claims);
    }
    const answer = await oauth.userInfoRequest(server, client, tokens.access_token, options);
    return toIdentity(issuer, await oauth.processUserInfoResponse(server, client, claims.sub, answer));
  }

  return {
    begin: (provider, { state, nonce, codeVerifier, redirectUri }) =>
      failAsProvider(async () => {
        const server = await discover(provider);
        if (server.authorization_endpoint === undefined) {
          throw new ProviderFailure("refused", "no_authorization_endpoint");
        }
        const url = new URL(server.authorization_endpoint);
        const isGitHub = server === GITHUB_SERVER;
        for (const [name, value] of Object.entries({
          response_type: "code",
          client_id: provider.clientId,
          redirect_uri: redirectUri,
          scope: isGitHub ? "user:email" : "openid email profile",
          state,
          code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
          code_challenge_method: "S256",
          ...(isGitHub ? {} : { nonce }),
        })) {
          url.searchParams.set(name, value);
        }
        return url.href;
      }),
    finish: (provider, attempt, parameters) => failAsProvider(() => exchange(provider, attempt, parameters)),
  };
}

/** Reads the whole answer within the time limit. What the provider can't help is told apart from what it says. */
function toProviderFetch(fetch: Fetch) {
  type Options = oauth.CustomFetchOptions<string, oauth.ProtectedResourceRequestBody>;
  return async (url: string, { method, headers, body, redirect }: Options): Promise<Response> => {
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const response = await fetch(url, { method, headers, body: body ?? null, redirect, signal });
      const answer = await response.arrayBuffer();
      if (response.status < 500) {
        const { status, headers: fields } = response;
        return new Response(answer.byteLength === 0 ? null : answer, { status, headers: fields });
      }
    } catch (error) {
      throw new ProviderFailure("unavailable", error instanceof Error ? error.name : "unknown");
    }
    throw new ProviderFailure("unavailable", "server_error");
  };
}

async function failAsProvider<Value>(run: () => Promise<Value>): Promise<Value> {
  try {
    return await run();
  } catch (error) {
    const isRefusal = REFUSALS.some((kind) => error instanceof kind);
    throw isRefusal ? new ProviderFailure("refused", reasonOf(error)) : error;
  }
}

const REFUSALS = [
  oauth.AuthorizationResponseError,
  oauth.OperationProcessingError,
  oauth.ResponseBodyError,
  oauth.UnsupportedOperationError,
  oauth.WWWAuthenticateChallengeError,
] as const;

/** A word of the protocol or of the library, never a text that a stranger has chosen. */
function reasonOf(error: unknown): string {
  const challenged =
    error instanceof oauth.WWWAuthenticateChallengeError ? error.cause[0]?.parameters["error"] : undefined;
  const { error: word, code } = error as { readonly error?: unknown; readonly code?: unknown };
  const found = [challenged, word, code].find(
    (one) => typeof one === "string" && /^[A-Za-z_]{1,50}$/.test(one),
  );
  return typeof found === "string" ? found : "unknown";
}

/** As the provider wants it; `client_secret_basic` is what holds where it says nothing. */
function authenticationOf(
  { clientSecret }: ProviderSettings,
  { token_endpoint_auth_methods_supported: methods = ["client_secret_basic"] }: oauth.AuthorizationServer,
): oauth.ClientAuth {
  return methods.includes("client_secret_basic")
    ? oauth.ClientSecretBasic(clientSecret)
    : oauth.ClientSecretPost(clientSecret);
}

type Claims = { readonly sub: string; readonly [name: string]: unknown };

function toIdentity(issuer: string, claims: Claims): Identity {
  // Amazon Cognito says it as a text.
  const isVerified = claims["email_verified"] === true || claims["email_verified"] === "true";
  const email = isVerified ? parseEmail(claims["email"]) : null;
  return {
    issuer,
    subject: requireSubject(claims.sub),
    email,
    name: toName([claims["name"], claims["preferred_username"]], email),
  };
}

function requireSubject(subject: string): string {
  if (subject === "" || subject.length > MAX_SUBJECT_LENGTH || !isPlainText(subject)) {
    throw new ProviderFailure("refused", "unusable_subject");
  }
  return subject;
}

function parseEmail(value: unknown): string | null {
  const { success, data } = Email.safeParse(value);
  return success ? data : null;
}

/** The first of these that is a usable name; otherwise what stands before the @. */
function toName(candidates: readonly unknown[], email: string | null): string {
  const usable = candidates.find(
    (one) =>
      typeof one === "string" && one.trim() !== "" && one.length <= MAX_NAME_LENGTH && isPlainText(one),
  );
  return typeof usable === "string" ? usable.trim() : (email ?? "").replace(/@.*$/, "");
}

/** https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps */
const GITHUB_SERVER: oauth.AuthorizationServer = {
  issuer: GITHUB_ISSUER,
  authorization_endpoint: "https://github.com/login/oauth/authorize",
  token_endpoint: "https://github.com/login/oauth/access_token",
  token_endpoint_auth_methods_supported: ["client_secret_post"],
};
const GITHUB_API = "https://api.github.com";

type Options = oauth.ProtectedResourceRequestOptions;

/** The number of the account, and its primary address if GitHub has verified it. */
async function readGitHubIdentity(accessToken: string, options: Options): Promise<Identity> {
  const read = async (path: string): Promise<unknown> => {
    const headers = new Headers({ accept: "application/vnd.github+json", "user-agent": "Hopline" });
    const url = new URL(path, GITHUB_API);
    const response = await oauth.protectedResourceRequest(accessToken, "GET", url, headers, null, options);
    if (!response.ok) {
      throw new ProviderFailure("refused", "api_refused");
    }
    return response.json();
  };
  const [user, emails] = await Promise.all([read("/user"), read("/user/emails")]);
  const { id, name, login } = user as { readonly [name: string]: unknown };
  const addresses = (Array.isArray(emails) ? emails : []) as readonly { readonly [name: string]: unknown }[];
  const primary = addresses.find(
    ({ primary: isPrimary, verified }) => isPrimary === true && verified === true,
  );
  const email = parseEmail(primary?.["email"]);
  return {
    issuer: GITHUB_ISSUER,
    subject: requireSubject(Number.isSafeInteger(id) ? String(id) : ""),
    email,
    name: toName([name, login], email),
  };
}
