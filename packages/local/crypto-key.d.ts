/** Sources of Workers run here under Node as well, whose types know CryptoKey as a value and not as a type. */
type CryptoKey = import("node:crypto").webcrypto.CryptoKey;
