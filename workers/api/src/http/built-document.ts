/** The OpenAPI document as the bundler has made it (packages/testkit/src/workspace/build-workers.ts). Loaded by the first request for it. */

declare const BUILT_OPENAPI: string;

/** `null` where it was not: in tests, and with `pnpm dev`. */
export const BUILT_DOCUMENT: string | null = typeof BUILT_OPENAPI === "undefined" ? null : BUILT_OPENAPI;
