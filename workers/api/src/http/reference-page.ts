/**
 * /api/docs: the API reference, drawn in the browser by Scalar (https://github.com/scalar/scalar) from the OpenAPI document.
 * Its script is a static asset of this Worker (`assets` in wrangler.jsonc): the page asks no other host for anything, and
 * the policy in its header holds it to that.
 */
import { OPENAPI_PATH } from "./document.ts";

export const REFERENCE_PATH = "/api/docs";
export const REFERENCE_SCRIPT_PATH = "/api/docs/scalar.js";

/** The name of the script among the assets. */
const SCRIPT_ASSET = "/standalone.js";

/** The Worker's static assets. */
export type Assets = { readonly fetch: (request: Request) => Promise<Response> };

/** Everything that would call Scalar's own services is off: fonts, telemetry, chat, proxy, hosted client. */
const CONFIGURATION = {
  url: OPENAPI_PATH,
  modelsSectionLabel: "Schemas",
  authentication: { preferredSecurityScheme: "apiKey" },
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true, hideAddApi: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  documentDownloadType: "direct",
  persistAuth: false,
};

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Hopline API</title>
</head>
<body>
<noscript>This page needs JavaScript. The document behind it: <a href="${OPENAPI_PATH}">${OPENAPI_PATH}</a></noscript>
<script id="api-reference" type="application/json" data-configuration='${JSON.stringify(CONFIGURATION)}'></script>
<script src="${REFERENCE_SCRIPT_PATH}"></script>
</body>
</html>
`;

/** Styles are inline because Scalar writes its own; `connect-src 'self'` lets its request editor call this API. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export function toReferencePage(): Response {
  return new Response(PAGE, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": POLICY,
    },
  });
}

export function fetchReferenceScript(request: Request, assets: Assets): Promise<Response> {
  return assets.fetch(new Request(new URL(SCRIPT_ASSET, request.url), request));
}
