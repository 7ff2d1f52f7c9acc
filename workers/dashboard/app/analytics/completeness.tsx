/** Whether the numbers of a range are all there. */
import { Hint } from "../ui/controls.tsx";
import { type AnsweredRange, describeCompleteness } from "./describe-completeness.ts";

export function Completeness({ range }: { readonly range: AnsweredRange }) {
  const { label, why } = describeCompleteness(range);
  return (
    <Hint text={why}>
      <span className={`status ${range.complete ? "good" : "warn"}`} tabIndex={0}>
        {label}
      </span>
    </Hint>
  );
}
