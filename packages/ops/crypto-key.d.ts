/** Sources of Workers run here under Node as well, whose types know CryptoKey as a value and not as a type. */
import type { webcrypto } from "node:crypto";

declare global {
  type CryptoKey = webcrypto.CryptoKey;
}
