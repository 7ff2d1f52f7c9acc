/**
 * Secrets and signatures as Standard Webhooks has them (https://www.standardwebhooks.com): HMAC-SHA256 over id, time and body,
 * one signature for each secret that is valid.
 */

const PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** `whsec_` and base64. */
export function newWebhookSecret(randomBytes: (count: number) => Uint8Array): string {
  return PREFIX + toBase64(randomBytes(SECRET_BYTES));
}

export type MessageHead = {
  readonly id: string;
  /** Epoch seconds. */
  readonly timestamp: number;
};

export type MessageHeaders = {
  readonly "webhook-id": string;
  readonly "webhook-timestamp": string;
  readonly "webhook-signature": string;
};

/** Keys for `signMessage`, from opened secrets. Rejects for one that was not made here. */
export function importSecrets(secrets: readonly string[]): Promise<readonly CryptoKey[]> {
  return Promise.all(
    secrets.map((secret) => {
      const bytes = Uint8Array.from(atob(secret.slice(PREFIX.length)), (character) =>
        character.charCodeAt(0),
      );
      return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    }),
  );
}

const encoder = new TextEncoder();

export async function signMessage(
  { id, timestamp }: MessageHead,
  body: string,
  keys: readonly CryptoKey[],
): Promise<MessageHeaders> {
  const signed = encoder.encode(`${id}.${timestamp}.${body}`);
  const signatures = await Promise.all(keys.map((key) => crypto.subtle.sign("HMAC", key, signed)));
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.map((bytes) => `v1,${toBase64(new Uint8Array(bytes))}`).join(" "),
  };
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
