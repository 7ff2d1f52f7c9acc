/** What becomes of a segment that no queue would take: the spill, or else the log, sealed in both. */
import type { Segment } from "@hopline/core/click/segment";
import { spillKeyOf } from "@hopline/core/click/spill-key";
import { attempt } from "./attempt.ts";
import { toNumbers } from "./log.ts";
import { type DeliveryPlan, SPILL_TIMEOUT_MS } from "./plan-delivery.ts";
import type { ClickSinkDeps } from "./send-clicks.ts";

type Keeping = { readonly spills: DeliveryPlan["spills"]; readonly deps: ClickSinkDeps };

/** Whether the spill or the log has it. Without a usable key neither gets it: better lost than readable. Never rejects. */
export async function keepSealed(
  segment: Segment,
  text: string,
  { spills, deps }: Keeping,
): Promise<boolean> {
  const { seal, spill, wait, log } = deps;
  const sealed = await seal(text).catch(() => null);
  if (sealed === null) {
    return false;
  }
  const key = spillKeyOf(segment.isolateId, segment.firstSequence);
  for (const { afterMs } of spills) {
    if (afterMs > 0) {
      await wait(afterMs);
    }
    const failure = await attempt(async () => spill.put(key, sealed), SPILL_TIMEOUT_MS, wait);
    if (failure === null) {
      log({ event: "segment.spilled", ...toNumbers(segment) });
      return true;
    }
    log({ event: "segment.spill_failed", reason: failure });
  }
  log({ event: "segment.logged", ...toNumbers(segment), sealed });
  return true;
}
