/** Judges what an account has of what an environment needs. Pure. */
import { describePlan, type ProvisionPlan } from "../deploy/plan-provision.ts";
import { concern, fault, type Finding, good } from "./finding.ts";

export function judgeAccount(plan: ProvisionPlan, environment: string): readonly Finding[] {
  const missing = describePlan(plan).map((what) =>
    fault("account", environment, `${what} missing`, `Run \`pnpm run provision --env ${environment}\`.`),
  );
  const leftOver = plan.leftOverQueues.map((queue) =>
    concern(
      "account",
      environment,
      `${queue} is no longer in wrangler.jsonc`,
      `Once it is empty: \`pnpm exec wrangler queues delete ${queue}\`.`,
    ),
  );
  return missing.length > 0
    ? [...missing, ...leftOver]
    : [good("account", environment, "namespaces, queues and secrets are there"), ...leftOver];
}
