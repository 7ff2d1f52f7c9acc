/** GET /api/metrics */
import { createRoute, z } from "@hono/zod-openapi";
import type { ApiDeps } from "../api-deps.ts";
import { readBearerToken } from "../http/api-key.ts";
import { operation, problemsOnly } from "../http/operation.ts";
import { ProblemError } from "../http/problem.ts";
import { EXPOSITION_TYPE, writeFamilies } from "./exposition.ts";
import { readFamilies } from "./read-metrics.ts";

const route = createRoute({
  method: "get",
  path: "/api/metrics",
  operationId: "readMetrics",
  summary: "Read the deployment's metrics",
  description:
    "Prometheus text format. The metrics cover the whole deployment, so API keys are not accepted: send the deployment's METRICS_TOKEN. Counters are cumulative and stored in the database: no restart resets them, and it does not matter which instance answers. No label identifies a link, a workspace or a visitor.",
  tags: ["Operation"],
  security: [{ metricsToken: [] }],
  responses: {
    200: {
      description: "The metrics. `docs/observability.md` says what to watch.",
      content: { "text/plain": { schema: z.string() } },
    },
    ...problemsOnly("metrics_token_wrong", "invalid", "internal_error", "database_unavailable"),
  },
});

export function readMetricsOperation({ database, metricsToken }: ApiDeps) {
  return operation(route, async (context) => {
    if (!(await isMetricsToken(context.req.header("authorization"), metricsToken))) {
      throw new ProblemError("metrics_token_wrong");
    }
    return context.text(writeFamilies(await readFamilies(database)), 200, {
      "content-type": EXPOSITION_TYPE,
      "cache-control": "no-store",
    });
  });
}

/**
 * Compares hashes, and all of their bytes, so that the time it takes tells nothing about how close a guess was.
 *
 * @param metricsToken METRICS_TOKEN: one token, or during a rotation two with a comma between them. With an empty one, nothing opens the metrics.
 */
export async function isMetricsToken(
  authorization: string | undefined,
  metricsToken: string,
): Promise<boolean> {
  const given = await hash(readBearerToken(authorization) ?? "");
  const tokens = metricsToken.split(",").map((token) => token.trim());
  const wanted = await Promise.all(tokens.filter((token) => token !== "").map(hash));
  return wanted.map((one) => isSame(given, one)).includes(true);
}

function isSame(given: Uint8Array, wanted: Uint8Array): boolean {
  return given.reduce((difference, byte, index) => difference | (byte ^ (wanted[index] ?? 0)), 0) === 0;
}

async function hash(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
