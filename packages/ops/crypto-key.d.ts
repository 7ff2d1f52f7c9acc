/** Some source of the Workers also runs here, in Node, whose types have CryptoKey as a value and not as a type. */
import type { webcrypto } from "node:crypto";

declare global {
  type CryptoKey = webcrypto.CryptoKey;
}
