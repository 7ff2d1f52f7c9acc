/** WebAuthn in the browser, between two calls of the API. Rejects with what the API or the browser says. */
import type { NewCredential, SignedIn, UsedCredential } from "@hopline/client/openapi";
import { hopline } from "../caches.ts";

/** False where the browser has no passkeys, or can't read WebAuthn's JSON. */
export const HAS_PASSKEYS: boolean =
  "PublicKeyCredential" in globalThis &&
  typeof PublicKeyCredential.parseRequestOptionsFromJSON === "function";

/** Makes one on this device, or on one that the browser can reach. */
export async function makePasskey(name: string): Promise<void> {
  const options = await hopline.createPasskeyOptions();
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  const credential = await navigator.credentials.create({ publicKey });
  await hopline.createPasskey({ body: { name, credential: toJson(credential) as NewCredential } });
}

export async function signInWithPasskey(): Promise<SignedIn> {
  const options = await hopline.requestPasskey();
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  const credential = await navigator.credentials.get({ publicKey });
  return hopline.signInWithPasskey({ body: { credential: toJson(credential) as UsedCredential } });
}

/** The parts that the API takes; it checks them itself. */
function toJson(credential: Credential | null): unknown {
  if (!(credential instanceof PublicKeyCredential)) {
    throw new TypeError("The browser gave no passkey.");
  }
  return credential.toJSON();
}

/** The person has closed the browser's dialog, or let it wait: nothing went wrong. */
export function isCancelled(error: unknown): boolean {
  return error instanceof DOMException && (error.name === "NotAllowedError" || error.name === "AbortError");
}

/** This device has one for the account already. */
export function isKnownDevice(error: unknown): boolean {
  return error instanceof DOMException && error.name === "InvalidStateError";
}
