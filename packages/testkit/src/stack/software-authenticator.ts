/**
 * An authenticator in software: makes passkeys (ES256) and proves them, as a browser's JSON
 * (https://www.w3.org/TR/webauthn-3/). A test may make it lie.
 */
import { createHash, createSign, generateKeyPairSync, randomBytes } from "node:crypto";

/** What a test makes it say instead of the truth. */
export type Lies = {
  readonly origin?: string;
  readonly rpId?: string;
  /** 1: the user is there; 4: and was recognised; 8 and 16: it can be on several devices, and is. */
  readonly flags?: number;
  readonly counter?: number;
  readonly type?: string;
  /** Signed by another key. */
  readonly isForged?: boolean;
};

type Options = { readonly challenge: string; readonly [name: string]: unknown };

const RECOGNISED = 1 | 4;
const HAS_CREDENTIAL = 64;

export function createAuthenticator(pageOrigin: string) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const other = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const id = randomBytes(16);
  let used = 0;

  const toClientData = (challenge: string, type: string, lies: Lies) =>
    Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge,
        origin: lies.origin ?? pageOrigin,
        crossOrigin: false,
      }),
    );

  const toAuthenticatorData = (rpId: string, more: number, lies: Lies) => {
    used += 1;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(lies.counter ?? used);
    return Buffer.concat([
      createHash("sha256")
        .update(lies.rpId ?? rpId)
        .digest(),
      Buffer.from([(lies.flags ?? RECOGNISED) | more]),
      counter,
    ]);
  };

  const toCredential = (response: object) => ({
    id: id.toString("base64url"),
    rawId: id.toString("base64url"),
    type: "public-key",
    clientExtensionResults: {},
    authenticatorAttachment: "platform",
    response,
  });

  return {
    credentialId: id.toString("base64url"),

    /** `navigator.credentials.create()` */
    create(options: Options, lies: Lies = {}) {
      const { id: rpId } = options["rp"] as { readonly id: string };
      const { x = "", y = "" } = publicKey.export({ format: "jwk" });
      // COSE: kty EC2, alg ES256, crv P-256, x, y.
      const key = Buffer.concat([
        Buffer.from("a5010203262001215820", "hex"),
        Buffer.from(x, "base64url"),
        Buffer.from("225820", "hex"),
        Buffer.from(y, "base64url"),
      ]);
      const data = Buffer.concat([
        toAuthenticatorData(rpId, HAS_CREDENTIAL, lies),
        Buffer.alloc(16),
        Buffer.from([0, id.length]),
        id,
        key,
      ]);
      // CBOR: {"fmt": "none", "attStmt": {}, "authData": data}
      const attestation = Buffer.concat([
        Buffer.from("a363666d74646e6f6e656761747453746d74a068617574684461746158", "hex"),
        Buffer.from([data.length]),
        data,
      ]);
      return toCredential({
        clientDataJSON: toClientData(options.challenge, "webauthn.create", lies).toString("base64url"),
        attestationObject: attestation.toString("base64url"),
        transports: ["internal"],
      });
    },

    /** `navigator.credentials.get()` */
    get(options: Options, lies: Lies = {}) {
      const clientData = toClientData(options.challenge, "webauthn.get", lies);
      const data = toAuthenticatorData(String(options["rpId"]), 0, lies);
      const signature = createSign("sha256")
        .update(data)
        .update(createHash("sha256").update(clientData).digest())
        .sign(lies.isForged === true ? other.privateKey : privateKey);
      return toCredential({
        clientDataJSON: clientData.toString("base64url"),
        authenticatorData: data.toString("base64url"),
        signature: signature.toString("base64url"),
        userHandle: null,
      });
    },
  };
}
