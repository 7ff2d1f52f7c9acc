/**
 * WebAuthn's two ceremonies, by @simplewebauthn/server: registering a passkey and signing in with one. A passkey counts as
 * both factors, so the authenticator must have verified its user. Loaded with the first request that needs it.
 */
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import { fromBase64Url, toBase64Url } from "@hopline/sealing/base64";
import type { NewCredential, PasskeyOptions, UsedCredential } from "./passkey-shape.ts";
import type { PasskeyKey } from "./passkey-store.ts";

/** A person looks for a security key meanwhile. */
export const CHALLENGE_SECONDS = 300;
const TIMEOUT_MS = CHALLENGE_SECONDS * 1_000;

/** EdDSA, ES256, RS256: what authenticators have and Web Crypto checks. */
const ALGORITHMS = [-8, -7, -257];

type Site = { readonly appOrigin: string };
type Person = { readonly id: string; readonly email: string; readonly name: string };
type Known = readonly Pick<PasskeyKey, "credentialId" | "transports">[];

export async function createOptions(
  { appOrigin }: Site,
  person: Person,
  known: Known,
): Promise<PasskeyOptions> {
  const options = await generateRegistrationOptions({
    rpName: "Hopline",
    rpID: new URL(appOrigin).hostname,
    userName: person.email,
    userDisplayName: person.name,
    userID: Uint8Array.from(new TextEncoder().encode(person.id)),
    timeout: TIMEOUT_MS,
    excludeCredentials: known.map(({ credentialId, transports }) => ({
      id: credentialId,
      transports: [...transports],
    })),
    // Discoverable: people sign in without typing an address first.
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    supportedAlgorithmIDs: ALGORITHMS,
  });
  return toJson(options);
}

export async function createRequest({ appOrigin }: Site): Promise<PasskeyOptions> {
  const options = await generateAuthenticationOptions({
    rpID: new URL(appOrigin).hostname,
    timeout: TIMEOUT_MS,
    userVerification: "required",
  });
  return toJson(options);
}

/** Without the fields that are undefined, which the library's types allow. */
function toJson(options: { readonly challenge: string }): PasskeyOptions {
  return JSON.parse(JSON.stringify(options)) as PasskeyOptions;
}

/** `null` for an answer that is none. Whether the challenge is one of ours is for the caller to say. */
export function readChallenge({ response }: NewCredential | UsedCredential): string | null {
  const bytes = fromBase64Url(response.clientDataJSON);
  try {
    const { challenge } = JSON.parse(new TextDecoder().decode(bytes ?? new Uint8Array())) as {
      readonly challenge?: unknown;
    };
    return typeof challenge === "string" ? challenge : null;
  } catch {
    return null;
  }
}

export type CheckedPasskey = PasskeyKey & { readonly isSynced: boolean };

/** `null` for a credential that is not acceptable. */
export async function checkNewPasskey(
  { appOrigin }: Site,
  credential: NewCredential,
  challenge: string,
): Promise<CheckedPasskey | null> {
  const { verified, registrationInfo } = await nullIfThrown(() =>
    verifyRegistrationResponse({
      response: { ...credential, response: { ...credential.response } },
      expectedChallenge: challenge,
      expectedOrigin: appOrigin,
      expectedRPID: new URL(appOrigin).hostname,
      supportedAlgorithmIDs: ALGORITHMS,
    }),
  );
  if (!verified || registrationInfo === undefined) {
    return null;
  }
  const { id, publicKey, counter } = registrationInfo.credential;
  return {
    credentialId: id,
    publicKey: toBase64Url(publicKey),
    counter,
    transports: credential.response.transports,
    isSynced: registrationInfo.credentialDeviceType === "multiDevice",
  };
}

/** `null` for a credential that does not prove the passkey. */
export async function checkUsedPasskey(
  { appOrigin }: Site,
  credential: UsedCredential,
  { challenge, passkey }: { readonly challenge: string; readonly passkey: PasskeyKey },
): Promise<{ readonly counter: number; readonly isSynced: boolean } | null> {
  const { userHandle, ...response } = credential.response;
  const { verified, authenticationInfo } = await nullIfThrown(() =>
    verifyAuthenticationResponse({
      response: {
        ...credential,
        response: typeof userHandle === "string" ? { ...response, userHandle } : response,
      },
      expectedChallenge: challenge,
      expectedOrigin: appOrigin,
      expectedRPID: new URL(appOrigin).hostname,
      credential: {
        id: passkey.credentialId,
        publicKey: fromBase64Url(passkey.publicKey) ?? new Uint8Array(),
        counter: passkey.counter,
      },
    }),
  );
  return verified && authenticationInfo !== undefined
    ? {
        counter: authenticationInfo.newCounter,
        isSynced: authenticationInfo.credentialDeviceType === "multiDevice",
      }
    : null;
}

/** The library throws a plain Error for each way in which a credential can be wrong, and makes no request. */
async function nullIfThrown<Result extends { readonly verified: boolean }>(
  check: () => Promise<Result>,
): Promise<
  | Result
  | { readonly verified: false; readonly registrationInfo?: never; readonly authenticationInfo?: never }
> {
  try {
    return await check();
  } catch {
    return { verified: false };
  }
}
