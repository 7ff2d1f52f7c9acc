/**
 * A token that is the id of a row with an HMAC, so that it need not be stored and an email that is sent twice has the same one.
 * That it works once, and for how long, is for the row to say.
 */
import { fromBase64Url, toBase64Url } from "@hopline/sealing/base64";

/** What the token opens: one of another purpose opens nothing. */
type Purpose = "invitation" | "email change";

/** `id` has no dot. */
export async function signId(purpose: Purpose, id: string, secret: string): Promise<string> {
  const key = await importKey(secret, "sign");
  const signature = await crypto.subtle.sign("HMAC", key, toMessage(purpose, id));
  return `${id}.${toBase64Url(new Uint8Array(signature))}`;
}

/** The id; `null` for a token that was not made here for this purpose. */
export async function readSignedId(
  purpose: Purpose,
  token: string,
  secrets: readonly string[],
): Promise<string | null> {
  const [id = "", signatureText = ""] = token.split(".", 2);
  const signature = fromBase64Url(signatureText);
  if (signature === null) {
    return null;
  }
  for (const secret of secrets) {
    const key = await importKey(secret, "verify");
    if (await crypto.subtle.verify("HMAC", key, signature, toMessage(purpose, id))) {
      return id;
    }
  }
  return null;
}

function toMessage(purpose: Purpose, id: string): BufferSource {
  return new TextEncoder().encode(`hopline ${purpose} v1\n${id}`);
}

function importKey(secret: string, usage: "sign" | "verify"): Promise<CryptoKey> {
  const raw = new TextEncoder().encode(secret);
  return crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, [usage]);
}
