/** GET /api/health: asks every dependency a trivial question, all at the same time, and says how long each answer took. */
import { createRoute, z } from "@hono/zod-openapi";
import { linkKeyOf } from "@hopline/core/link/link-address";
import { judgeSchemaVersion, SCHEMA_VERSION } from "@hopline/db/schema-version";
import { sql } from "@hopline/db/sql";
import type { ApiDeps } from "../api-deps.ts";
import { toSql } from "../to-sql.ts";
import { jsonAnswer, operation, problemsOnly } from "../http/operation.ts";
import { isMetricsToken } from "./metrics-route.ts";

/** After this long a dependency counts as down. Milliseconds. */
const TIMEOUT_MS = 2_000;

const DependencyBody = z.object({ status: z.enum(["ok", "down"]), latencyMs: z.number().int() });
type DependencyHealth = z.infer<typeof DependencyBody>;

const HealthBody = z
  .object({
    status: z.enum(["ok", "degraded", "down"]).openapi({
      description:
        "`degraded`: KV or the change feed does not answer, so changes reach the edge late, or the database lacks a migration. `down`: the database does not answer; known links keep redirecting.",
    }),
    dependencies: z.object({ database: DependencyBody, kv: DependencyBody, feed: DependencyBody }),
    schema: z
      .object({
        state: z.enum(["current", "older", "newer", "unknown"]),
        database: z.number().int().nullable(),
        code: z.number().int(),
      })
      .openapi({
        description:
          "The newest migration of the database, and the one that this release was written for. `older`: run `pnpm migrate`. `newer`: a later release has migrated it, which this one can ignore.",
      }),
    faults: z.array(z.string()).openapi({
      description: "Parts of the configuration that are incomplete and therefore off; everything else works.",
    }),
    alerts: z.array(z.string()).nullable().optional().openapi({
      description:
        "Alert rules that fire, by name; null where they are left to Prometheus. Only for requests with the deployment's METRICS_TOKEN.",
    }),
  })
  .openapi("Health");

export const HEALTH_PATH = "/api/health";

const route = createRoute({
  method: "get",
  path: HEALTH_PATH,
  operationId: "readHealth",
  summary: "Check each dependency",
  description:
    "Needs no key; a network may ask 60 times in 10 seconds. Says only which dependencies answer, and how fast, and what of the configuration is incomplete.",
  tags: ["Operation"],
  responses: {
    200: jsonAnswer("The API can answer.", HealthBody),
    503: jsonAnswer("The database does not answer.", HealthBody),
    ...problemsOnly("invalid", "rate_limited"),
  },
});

export function readHealthOperation({
  database,
  kv,
  feed,
  faults,
  metricsToken,
  listAlerts,
  nowMs,
}: ApiDeps) {
  // No link can have this address: the question is only whether there is an answer.
  const key = linkKeyOf("health.invalid", "-");
  return operation(route, async (context) => {
    const mayReadAlerts = await isMetricsToken(context.req.header("authorization"), metricsToken);
    const alerts = mayReadAlerts ? await listAlerts().catch(() => undefined) : undefined;
    let applied: number | null = null;
    const [databaseHealth, kvHealth, feedHealth] = await Promise.all([
      check(async () => {
        applied = await findSchemaVersion(database);
      }, nowMs),
      check(() => kv.find(key), nowMs),
      check(() => feed.find(key), nowMs),
    ]);
    context.header("cache-control", "no-store");
    const dependencies = { database: databaseHealth, kv: kvHealth, feed: feedHealth };
    const state = judgeSchemaVersion(applied);
    const found = {
      dependencies,
      schema: { state, database: applied, code: SCHEMA_VERSION },
      faults: [...faults],
      ...(alerts === undefined ? {} : { alerts: alerts === null ? null : [...alerts] }),
    };
    if (databaseHealth.status === "down") {
      return context.json({ status: "down" as const, ...found }, 503);
    }
    const isWhole = kvHealth.status === "ok" && feedHealth.status === "ok" && state !== "older";
    return context.json({ status: isWhole ? ("ok" as const) : ("degraded" as const), ...found }, 200);
  });
}

/** Null where there is no table of migrations, or this role may not read it: `packages/db/roles.sql` of an earlier release did not grant that. */
async function findSchemaVersion(database: ApiDeps["database"]): Promise<number | null> {
  const [row] = (await database.execute(toSql(MAY_READ))).rows;
  if (row?.["may"] !== true) {
    return null;
  }
  const [newest] = (await database.execute(toSql(NEWEST))).rows;
  return Number(newest?.["version"] ?? 0);
}

const MAY_READ = sql`
  SELECT coalesce(has_table_privilege(to_regclass('schema_migrations'), 'select'), false) AS may`;
const NEWEST = sql`SELECT max(version) AS version FROM schema_migrations`;

/** Never rejects. */
async function check(ask: () => PromiseLike<unknown>, nowMs: () => number): Promise<DependencyHealth> {
  const startedAtMs = nowMs();
  const isUp = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), TIMEOUT_MS);
    const settle = (answered: boolean) => () => {
      clearTimeout(timer);
      resolve(answered);
    };
    Promise.resolve().then(ask).then(settle(true), settle(false));
  });
  return { status: isUp ? "ok" : "down", latencyMs: nowMs() - startedAtMs };
}
