/** Asks a deployment which of its alert rules fire (GET /api/health), and says so. */
import { ALERT_RULES } from "@hopline/core/alerts/alert-rules";
import { toJsonObject } from "../deploy/json-object.ts";
import type { Tools } from "../deploy/tools.ts";
import { about, type Finding } from "./finding.ts";

const TIMEOUT_MS = 10_000;

/** Names of rules; `null`: they are left to Prometheus; `undefined`: no answer. */
export async function readAlerts(
  host: string,
  metricsToken: string,
  fetch: Tools["fetch"],
): Promise<readonly string[] | null | undefined> {
  try {
    const response = await fetch(`https://${host}/api/health`, {
      headers: { authorization: `Bearer ${metricsToken}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const { alerts } = toJsonObject(await response.json());
    return Array.isArray(alerts) ? alerts.map(String) : alerts === null ? null : undefined;
  } catch {
    // Whatever the reason: no name, no certificate, no route.
    return undefined;
  }
}

export function judgeAlerts(
  host: string,
  firing: Awaited<ReturnType<typeof readAlerts>>,
): readonly Finding[] {
  const alerts = about("alerts", host);
  if (firing === undefined) {
    return [alerts.unseen("it does not say which alert rules fire", "Check the host and METRICS_TOKEN.")];
  }
  if (firing === null) {
    const todo = "Set ALERT_EMAIL or ALERT_WEBHOOK_URL, or use Prometheus: docs/observability.md.";
    return [alerts.unseen("no operator gets alerts", todo)];
  }
  const rules = ALERT_RULES.filter(({ name }) => firing.includes(name));
  return rules.length === 0
    ? [alerts.good("no alert rule fires")]
    : rules.map(({ name, summary, section }) =>
        alerts.concern(`${name} fires: ${summary.replace(/\.$/, "")}`, `See docs/run-book.md, ${section}.`),
      );
}
