/** Signing in with a passkey: what the API and the browser say to each other. */
import { hopline } from "../api.ts";

/** False where the browser has no passkeys, or can't read WebAuthn's JSON. */
export const HAS_PASSKEYS = typeof PublicKeyCredential?.parseRequestOptionsFromJSON === "function";

/** `null` if the person has changed their mind, or none of their passkeys is for this site. */
export async function signInWithPasskey(): Promise<unknown> {
  const options = await hopline.requestPasskey();
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  const credential = await askBrowser(publicKey);
  return credential === null
    ? null
    : hopline.signInWithPasskey({ body: { credential: credential.toJSON() } });
}

async function askBrowser(publicKey: PublicKeyCredentialRequestOptions): Promise<PublicKeyCredential | null> {
  try {
    return (await navigator.credentials.get({ publicKey })) as PublicKeyCredential | null;
  } catch (error) {
    // Closed, too slow, or nothing to choose from: the browser has said so already.
    if (error instanceof DOMException && error.name === "NotAllowedError") {
      return null;
    }
    throw error;
  }
}
