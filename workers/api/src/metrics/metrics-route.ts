/** GET /api/metrics */
import { createRoute, z } from "@hono/zod-openapi";
import type { ApiDeps } from "../api-deps.ts";
import { EXPOSITION_TYPE, writeFamilies } from "./exposition.ts";
import { isMetricsToken } from "./metrics-token.ts";
import { readCounters, readMissing } from "./read-counters.ts";
import { readSummaryLag } from "./read-summary-lag.ts";
import { toFamilies } from "./to-families.ts";
import { operation, problemsOnly } from "../http/operation.ts";
import { ProblemError } from "../http/problem.ts";

const route = createRoute({
  method: "get",
  path: "/api/metrics",
  operationId: "readMetrics",
  summary: "Read the deployment's metrics",
  description:
    "Prometheus text format. Of the whole deployment, so no API key opens it: send the deployment's METRICS_TOKEN. Counters are cumulative and kept in the database: no restart resets them, and it does not matter which instance answers. No label names a link, a workspace or a visitor.",
  tags: ["Operation"],
  security: [{ metricsToken: [] }],
  responses: {
    200: {
      description: "The metrics. `docs/observability.md` says what to watch.",
      content: { "text/plain": { schema: z.string() } },
    },
    ...problemsOnly("metrics_token_wrong", "internal_error", "database_unavailable"),
  },
});

export function readMetricsOperation({ database, metricsToken, nowMs }: ApiDeps) {
  return operation(route, async (context) => {
    if (!(await isMetricsToken(context.req.header("authorization"), metricsToken))) {
      throw new ProblemError("metrics_token_wrong");
    }
    const [counters, missing, summaries] = await Promise.all([
      readCounters(database),
      readMissing(database),
      readSummaryLag(database, nowMs()),
    ]);
    return context.text(writeFamilies(toFamilies(counters, { missing, summaries })), 200, {
      "content-type": EXPOSITION_TYPE,
      "cache-control": "no-store",
    });
  });
}
