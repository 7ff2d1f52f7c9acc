/**
 * What Cloudflare's API refuses, with the number it gives, and the limits of its plans. Each says where it is known from;
 * where a number is not published, the entry says so. From Cloudflare's sources, never from our commands.
 */

export type Refusal = { readonly status: number; readonly code: number; readonly message: string };

export type Plan = "free" | "paid";

/** https://developers.cloudflare.com/workers/platform/limits/, KV's and Queues' own pages of limits. */
export const LIMITS = {
  free: { crons: 5, workers: 100, scriptBytes: 3 * 1024 ** 2, variables: 64 },
  paid: { crons: 250, workers: 500, scriptBytes: 10 * 1024 ** 2, variables: 128 },
} as const satisfies Record<Plan, unknown>;
export const MAX_UNCOMPRESSED_BYTES: number = 64 * 1024 ** 2;
export const MAX_VARIABLE_BYTES = 5 * 1024;
export const MAX_NAME_LENGTH = 63;

const refusal = (status: number, code: number, message: string): Refusal => ({ status, code, message });

/** workers-sdk `isWorkerNotFoundError`: 10007 from scripts, 10090 from services. */
export const NO_SUCH_WORKER: Refusal = refusal(404, 10_007, "This Worker does not exist on your account.");
export const NO_SUCH_SERVICE: Refusal = refusal(404, 10_090, "workers.api.error.service_not_found");
/** workers-sdk `getWorkersDevSubdomain`: not found. */
export const NO_SUBDOMAIN_YET: Refusal = refusal(404, 10_007, "workers.api.error.subdomain_not_found");
/** https://developers.cloudflare.com/workers/platform/error-codes/10063/; workers-sdk issue 9045: also for a Worker without workers.dev. */
export const SUBDOMAIN_REQUIRED: Refusal = refusal(
  403,
  10_063,
  "You need a workers.dev subdomain in order to proceed.",
);
/** workers-sdk `registerSubdomain`. */
export const SUBDOMAIN_UNAVAILABLE: Refusal = refusal(409, 10_031, "workers.api.error.subdomain_unavailable");
/** Number from reports of users: an account has one subdomain, which this request does not change. */
export const HAS_SUBDOMAIN: Refusal = refusal(409, 10_036, "workers.api.error.already_has_subdomain");
/** workers-sdk issue 15194: any schedule, even an empty one, is refused while the account would be over its limit. */
export const tooManyCrons = (limit: number): Refusal =>
  refusal(400, 10_072, `This account has reached the limit of ${limit} cron triggers per account.`);
/** workers-sdk issue 3370: a Worker that consumes a queue is not deleted without `force`. */
export const STILL_IN_USE: Refusal = refusal(400, 10_064, "workers.api.error.script_still_in_use");
/** Tests of `wrangler kv namespace create`. */
export const KV_TITLE_TAKEN: Refusal = refusal(
  400,
  10_014,
  "a namespace with this account ID and title already exists",
);
export const NO_SUCH_NAMESPACE: Refusal = refusal(404, 10_013, "namespace not found");
/** Queues API: names are unique in an account; workers-sdk tests of `queues create`. */
export const QUEUE_NAME_TAKEN: Refusal = refusal(409, 11_009, "Queue name already taken.");
export const NO_SUCH_QUEUE: Refusal = refusal(404, 11_000, "The specified queue does not exist.");
/** workers-sdk issues: one Worker consumes a queue. */
export const QUEUE_HAS_CONSUMER: Refusal = refusal(400, 11_004, "Queue already has a consumer.");
/** workers-sdk deploy-helpers `handleMissingSecretsError`. */
export const cannotInherit = (name: string): Refusal =>
  refusal(400, 10_057, `inherit binding '${name}' is invalid: the previous version has no such binding`);
/** workers-sdk issues, service bindings and Durable Objects to what is not there. */
export const noSuchService = (name: string): Refusal =>
  refusal(400, 10_143, `Could not resolve service binding '${name}'. Target script not found.`);
export const noSuchClass = (name: string): Refusal =>
  refusal(
    400,
    10_061,
    `Cannot create binding for class '${name}' because it is not currently configured to implement Durable Objects.`,
  );
export const noSuchKv = (id: string): Refusal => refusal(400, 10_041, `KV namespace '${id}' is not valid.`);
export const noSuchQueueBinding = (name: string): Refusal =>
  refusal(400, 100_129, `Queue "${name}" does not exist.`);
/** developers.cloudflare.com/durable-objects/reference/durable-objects-migrations: Free has SQLite only. */
export const SQLITE_ONLY: Refusal = refusal(
  400,
  10_097,
  "In order to use Durable Objects with a free plan, you must create a namespace using a `new_sqlite_classes` migration.",
);
/** workers-sdk issues: the tag before is a precondition of a migration. */
export const MIGRATION_CONFLICT: Refusal = refusal(412, 10_079, "Migration tag precondition failed.");
export const MIGRATION_NEEDS_DEPLOY: Refusal = refusal(
  400,
  10_211,
  "Version upload failed. You attempted to upload a version of a Worker that includes a Durable Object migration.",
);
export const missingClass = (name: string): Refusal =>
  refusal(
    400,
    10_064,
    `New version of script does not export class '${name}' which is depended on by existing Durable Objects.`,
  );
/** workers-sdk deploy-helpers `friendly-validator-errors`: 10027 size, 10021 everything that validation finds. */
export const TOO_LARGE: Refusal = refusal(413, 10_027, "workers.api.error.script_too_large");
export const invalid = (what: string): Refusal => refusal(400, 10_021, what);
/** `VERSION_NOT_DEPLOYED_ERR_CODE` in wrangler: the newest version has to be the deployed one. */
export const NEWEST_NOT_DEPLOYED: Refusal = refusal(
  400,
  10_215,
  "Secret edit failed. You attempted to modify a secret, but the latest version of your Worker isn't currently deployed.",
);
export const NO_SUCH_VERSION: Refusal = refusal(404, 10_025, "workers.api.error.version_not_found");
/** https://developers.cloudflare.com/fundamentals/api/troubleshooting: one number for every lacking permission. */
export const NOT_ALLOWED: Refusal = refusal(403, 10_000, "Authentication error");
/** https://developers.cloudflare.com/fundamentals/api/reference/limits/. */
export const TOO_MANY_REQUESTS: Refusal = refusal(
  429,
  971,
  "Please wait and consider throttling your request speed",
);
/** A host belongs to a zone of the account; the number is not published. */
export const noSuchZone = (host: string): Refusal =>
  refusal(400, 100_116, `No zone of the account contains ${host}.`);
/** Wrangler's changeset: a host that is taken is only replaced where the request overrides it; the number is not published. */
export const hostTaken = (host: string): Refusal =>
  refusal(409, 100_117, `${host} already has an origin or a DNS record.`);
export const UNKNOWN_REQUEST: Refusal = refusal(
  404,
  7003,
  "Could not route to this address; the rehearsal does not know it.",
);
