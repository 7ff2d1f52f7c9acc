/** What Workers Free leaves off or slow, in one line for `provision` and `deploy`. */
import type { Environment } from "./environments.ts";
import { objectAt, textAt } from "./json-object.ts";

/** Requests of an invocation, on Workers Free. */
const SUBREQUESTS = "50";

/** No line where KV_WRITES_PER_DAY says that the account has no such limit. */
export function describeFreePlan({ vars }: Pick<Environment, "vars">): readonly string[] {
  const api = objectAt(vars, "api");
  if ((textAt(api, "KV_WRITES_PER_DAY") ?? "0") === "0") {
    return [];
  }
  const unset = [
    ...(textAt(api, "SUBREQUESTS") === SUBREQUESTS ? [] : ["api"]),
    ...(textAt(objectAt(vars, "consumer"), "SUBREQUESTS") === SUBREQUESTS ? [] : ["consumer"]),
  ];
  const toSet = unset.length === 0 ? "" : ` Set "SUBREQUESTS": "${SUBREQUESTS}" for ${unset.join(" and ")}.`;
  return [
    `Workers Free: no emails by Cloudflare, and passwords and cold starts take more CPU than its 10 ms; see docs/capacity-and-cost.md, The free plans.${toSet}`,
  ];
}
