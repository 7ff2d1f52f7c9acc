/**
 * The operations of Cloudflare's API that our commands call, as Cloudflare describes them: path, query and body. Source:
 * the types of the package cloudflare 7.3.0, which are generated from the published OpenAPI document
 * (github.com/cloudflare/api-schemas): KVNamespaceCreateParams, QueueCreateParams, DeploymentCreateParams,
 * SecretBulkUpdateParams, SubdomainUpdateParams and so on. Those marked "not published" are wrangler's.
 */
export type Operation = {
  readonly kind: string;
  readonly query?: readonly string[];
  /** A JSON schema; none where the request has no body, or one that is no JSON. */
  readonly body?: object;
};

const object = (properties: object, required: readonly string[] = Object.keys(properties)) => ({
  type: "object",
  additionalProperties: false,
  required,
  properties,
});
const text = { type: "string", minLength: 1 };

export const OPERATIONS: readonly Operation[] = [
  { kind: "GET /accounts", query: ["page", "per_page"] },
  { kind: "GET /workers/subdomain" },
  { kind: "PUT /workers/subdomain", body: object({ subdomain: text }) },
  { kind: "GET /storage/kv/namespaces", query: ["page", "per_page", "order", "direction"] },
  {
    kind: "POST /storage/kv/namespaces",
    body: object({ title: { type: "string", minLength: 1, maxLength: 512 } }),
  },
  { kind: "DELETE /storage/kv/namespaces/*" },
  { kind: "GET /storage/kv/namespaces/*/keys", query: ["limit", "cursor", "prefix"] },
  // `page` is not in the types; workers-sdk `listQueues` sends it.
  { kind: "GET /queues", query: ["page"] },
  { kind: "POST /queues", body: object({ queue_name: text, jurisdiction: text }, ["queue_name"]) },
  { kind: "DELETE /queues/*" },
  { kind: "GET /queues/*/metrics" },
  { kind: "GET /queues/*/consumers" },
  { kind: "DELETE /queues/*/consumers/*" },
  { kind: "PUT /workers/scripts/*" },
  { kind: "DELETE /workers/scripts/*", query: ["force"] },
  { kind: "GET /workers/scripts/*/secrets" },
  {
    kind: "PATCH /workers/scripts/*/secrets-bulk",
    body: object({
      secrets: {
        type: "object",
        additionalProperties: object({
          name: text,
          text: { type: "string" },
          type: { const: "secret_text" },
        }),
      },
    }),
  },
  { kind: "GET /workers/scripts/*/versions", query: ["deployable", "page", "per_page"] },
  { kind: "GET /workers/scripts/*/versions/*" },
  { kind: "GET /workers/scripts/*/deployments" },
  {
    kind: "POST /workers/scripts/*/deployments",
    query: ["force"],
    body: object(
      {
        strategy: { const: "percentage" },
        versions: {
          type: "array",
          items: object({ version_id: text, percentage: { type: "number", minimum: 0, maximum: 100 } }),
        },
        annotations: { type: "object" },
      },
      ["strategy", "versions"],
    ),
  },
  {
    kind: "PATCH /workers/scripts/*/script-settings",
    body: object({ observability: { type: "object", required: ["enabled"] } }),
  },
  { kind: "GET /workers/domains", query: ["environment", "hostname", "service", "zone_id", "zone_name"] },
  { kind: "DELETE /workers/domains/*" },
  { kind: "GET /zones/*" },
  // Not published: workers-sdk `publishCustomDomains`.
  {
    kind: "POST /workers/scripts/*/domains/changeset",
    query: ["replace_state"],
    body: { type: "array", items: object({ hostname: text, zone_id: text, zone_name: text }, ["hostname"]) },
  },
];
