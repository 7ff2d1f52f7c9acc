/** Whether the numbers of a range are all there. */
import { Hint } from "../ui/controls.tsx";

export function Completeness({ isComplete }: { readonly isComplete: boolean }) {
  return (
    <Hint
      text={
        isComplete
          ? "Every click that was stored for this range is in these numbers."
          : "Too low: they need single clicks of days whose clicks are no longer kept (RETENTION_DAYS). Totals and series by one dimension reach back further."
      }
    >
      <span className={`status ${isComplete ? "good" : "warn"}`} tabIndex={0}>
        {isComplete ? "complete" : "incomplete"}
      </span>
    </Hint>
  );
}
