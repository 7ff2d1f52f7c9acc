/**
 * Sessions of a dashboard: JWTs from an identity provider, verified against its JWKS. Only asymmetric signatures are
 * accepted, issuer and audience must be ours, and `exp` is required.
 *
 * Claims: `sub` identifies the caller (for the rate limit), `workspace` is the workspace's id (`ws_…`), `scope` the scopes,
 * separated by spaces (RFC 8693) or as an array. Unknown scopes are ignored.
 */
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify, type JWTVerifyGetKey } from "jose";
import { type Scope, SCOPES } from "./api-key.ts";
import { parsePublicId } from "./entity-id.ts";
import { ProblemError } from "./problem.ts";
import { isPlainText } from "./text-shape.ts";

export type Session = {
  readonly subject: string;
  readonly workspaceId: string;
  readonly scopes: readonly Scope[];
  /** Epoch milliseconds. */
  readonly endsAtMs: number;
};

/** `null` for a token that is not valid here. Throws `ProblemError` when the JWKS can't be fetched. */
export type VerifySession = (token: string) => Promise<Session | null>;

const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"];
const MAX_SUBJECT_LENGTH = 255;
const CLOCK_TOLERANCE_SECONDS = 5;

export type SessionSettings = {
  readonly getKey: JWTVerifyGetKey;
  readonly issuer: string;
  readonly audience: string;
};

/** Keys are fetched for the first token, and again for a token with an unknown key id. */
export function fetchKeysFrom(jwksUrl: string): JWTVerifyGetKey {
  return createRemoteJWKSet(new URL(jwksUrl), { timeoutDuration: 3_000 });
}

export function createSessionVerifier({ getKey, issuer, audience }: SessionSettings): VerifySession {
  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, getKey, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        requiredClaims: ["sub", "exp"],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
      });
      return toSession(payload);
    } catch (error) {
      if (error instanceof errors.JOSEError && !isAboutTheKeySet(error)) {
        return null;
      }
      throw new ProblemError("sessions_unavailable");
    }
  };
}

/** The provider did not return its keys, which says nothing about the token. A bare `JOSEError` is a status other than 200. */
function isAboutTheKeySet(error: errors.JOSEError): boolean {
  return (
    error instanceof errors.JWKSTimeout ||
    error instanceof errors.JWKSInvalid ||
    error.code === "ERR_JOSE_GENERIC"
  );
}

function toSession(payload: JWTPayload): Session | null {
  const workspaceId =
    typeof payload["workspace"] === "string" ? parsePublicId("ws", payload["workspace"]) : null;
  const subject = payload.sub ?? "";
  const isUsable = subject !== "" && subject.length <= MAX_SUBJECT_LENGTH && isPlainText(subject);
  if (workspaceId === null || !isUsable) {
    return null;
  }
  const claimed: unknown = payload["scope"];
  const names: readonly unknown[] = typeof claimed === "string" ? claimed.split(" ") : asArray(claimed);
  const scopes = SCOPES.filter((scope) => names.includes(scope));
  return { subject, workspaceId, scopes, endsAtMs: (payload.exp ?? 0) * 1_000 };
}

function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
