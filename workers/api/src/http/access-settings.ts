/** Who may call the API and how often, from the Worker's variables. An empty variable turns its feature off. */
import type { VerifySession } from "./session-token.ts";

export type AccessSettings = {
  /** For each caller, in each window of 60 s. */
  readonly requestsPerMinute: number;
  /** Origins whose pages may call the API, as browsers write them: `https://app.example.com`. */
  readonly corsOrigins: readonly string[];
  /** `null` where no JWKS is configured: only API keys are accepted. */
  readonly verifySession: VerifySession | null;
};

export type AccessVariables = {
  /** Origins separated by commas. */
  readonly CORS_ORIGINS: string;
  /** Decimal number. */
  readonly REQUESTS_PER_MINUTE: string;
  readonly JWT_JWKS_URL: string;
  readonly JWT_ISSUER: string;
  readonly JWT_AUDIENCE: string;
};

/** Throws for a variable that makes no sense: a deployment that protects nothing must not start. */
export function readAccessSettings(variables: AccessVariables): AccessSettings {
  const requestsPerMinute = Number(variables.REQUESTS_PER_MINUTE);
  if (!Number.isSafeInteger(requestsPerMinute) || requestsPerMinute < 1) {
    throw new Error("REQUESTS_PER_MINUTE is not a whole number: set it to at least 1.");
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
  // Without issuer and audience, every token that the provider ever signed for anyone would be accepted.
  if (!isSafeUrl(jwksUrl) || issuer === "" || audience === "") {
    throw new Error(
      "JWT_JWKS_URL is not usable: set it to an https URL, and set JWT_ISSUER and JWT_AUDIENCE too.",
    );
  }
  let verify: VerifySession | undefined;
  return async (token) => {
    if (verify === undefined) {
      const { createSessionVerifier, fetchKeysFrom } = await import("./session-token.ts");
      verify = createSessionVerifier({ getKey: fetchKeysFrom(jwksUrl), issuer, audience });
    }
    return verify(token);
  };
}

/** An attacker who can change the keys on their way could sign sessions for anyone: over plain http only from this machine. */
function isSafeUrl(text: string): boolean {
  const url = URL.parse(text);
  const isLocal = url !== null && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  return url?.protocol === "https:" || (url?.protocol === "http:" && isLocal);
}
