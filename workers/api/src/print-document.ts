/** `node workers/api/src/print-document.ts` prints the OpenAPI document. `pnpm types` writes the client from it. */
import type { ApiDeps } from "./api-deps.ts";
import { createApp } from "./app.ts";
import { OPENAPI_INFO } from "./http/document.ts";

/** What the application reads while it is put together. No request comes, so nothing else is ever used. */
const NEVER_CALLED = {
  access: { corsOrigins: [], verifySession: null, requestsPerMinute: 0 },
  networkLimits: { failedKeys: undefined, anonymous: undefined },
} as Partial<ApiDeps> as ApiDeps;

console.log(JSON.stringify(createApp(NEVER_CALLED).getOpenAPI31Document(OPENAPI_INFO)));
