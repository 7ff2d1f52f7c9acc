/** Whether the numbers of a range are all there. */
import { hinted } from "../ui/controls.tsx";
import { type AnsweredRange, describeCompleteness } from "./describe-completeness.ts";

export function Completeness({ range }: { readonly range: AnsweredRange }) {
  const { label, why } = describeCompleteness(range);
  return (
    <span className={`status ${range.complete ? "good" : "warn"}`} {...hinted(why)}>
      {label}
    </span>
  );
}
