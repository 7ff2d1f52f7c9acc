/**
 * The token in an invitation's email: the invitation's id with an HMAC, so that it need not be stored and an email that is
 * sent twice has the same one. That it works once and for how long is for the invitation's row to say.
 */
import { fromBase64Url, toBase64Url } from "@hopline/sealing/base64";
import { parsePublicId, toPublicId } from "../http/entity-id.ts";

export const INVITATION_DAYS = 7;

const LABEL = "hopline invitation v1";

export async function toInvitationToken(invitationId: string, secret: string): Promise<string> {
  const id = toPublicId("inv", invitationId);
  const key = await importKey(secret, "sign");
  const signature = await crypto.subtle.sign("HMAC", key, toMessage(id));
  return `${id}.${toBase64Url(new Uint8Array(signature))}`;
}

/** The invitation's id; `null` for a token that was not made here. */
export async function readInvitationToken(token: string, secrets: readonly string[]): Promise<string | null> {
  const [id = "", signatureText = ""] = token.split(".", 2);
  const signature = fromBase64Url(signatureText);
  const invitationId = parsePublicId("inv", id);
  if (signature === null || invitationId === null) {
    return null;
  }
  for (const secret of secrets) {
    const key = await importKey(secret, "verify");
    if (await crypto.subtle.verify("HMAC", key, signature, toMessage(id))) {
      return invitationId;
    }
  }
  return null;
}

function toMessage(id: string): BufferSource {
  return new TextEncoder().encode(`${LABEL}\n${id}`);
}

function importKey(secret: string, usage: "sign" | "verify"): Promise<CryptoKey> {
  const raw = new TextEncoder().encode(secret);
  return crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, [usage]);
}
