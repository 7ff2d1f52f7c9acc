/** Who may call the API and how often, from the Worker's variables. An empty variable switches its feature off. */
import type { AccessSettings } from "../api-deps.ts";
import { createSessionVerifier, fetchKeysFrom } from "./session-token.ts";

export type AccessVariables = {
  /** Origins separated by commas. */
  readonly CORS_ORIGINS: string;
  /** Decimal number. */
  readonly REQUESTS_PER_MINUTE: string;
  readonly JWT_JWKS_URL: string;
  readonly JWT_ISSUER: string;
  readonly JWT_AUDIENCE: string;
};

/** Throws where a variable makes no sense: a deployment that guards nothing must not start. */
export function readAccessSettings(variables: AccessVariables): AccessSettings {
  const requestsPerMinute = Number(variables.REQUESTS_PER_MINUTE);
  if (!Number.isSafeInteger(requestsPerMinute) || requestsPerMinute < 1) {
    throw new Error("REQUESTS_PER_MINUTE is not a whole number of at least 1.");
  }
  return {
    requestsPerMinute,
    corsOrigins: variables.CORS_ORIGINS.split(",")
      .map((origin) => origin.trim())
      .filter((origin) => origin !== ""),
    verifySession: readSessionVerifier(variables),
  };
}

function readSessionVerifier(variables: AccessVariables): AccessSettings["verifySession"] {
  const { JWT_JWKS_URL: jwksUrl, JWT_ISSUER: issuer, JWT_AUDIENCE: audience } = variables;
  if (jwksUrl === "") {
    return null;
  }
  // Without these, any token that the provider ever signed, for whomever, would open the API.
  if (!URL.canParse(jwksUrl) || issuer === "" || audience === "") {
    throw new Error("JWT_JWKS_URL needs to be a URL, with JWT_ISSUER and JWT_AUDIENCE next to it.");
  }
  return createSessionVerifier({ getKey: fetchKeysFrom(jwksUrl), issuer, audience });
}
