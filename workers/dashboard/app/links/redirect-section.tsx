/** How a link redirects. */
import { fieldsOf, SelectField } from "../ui/controls.tsx";
import { REDIRECTS } from "./redirects.ts";
import type { SectionProps } from "./section-props.ts";

export const FORWARDING = [
  { value: "none", label: "Not passed on" },
  { value: "visitor-wins", label: "Passed on; the visitor's values win" },
  { value: "link-wins", label: "Passed on; the link's values win" },
] as const;

export function RedirectSection({ draft, set }: SectionProps) {
  const field = fieldsOf(draft, set);
  return (
    <div className="two">
      <SelectField
        label="Redirect"
        {...field("redirectStatus")}
        choices={[{ value: null, label: "Domain's default" }, ...REDIRECTS]}
      />
      <SelectField label="Visitor's query string" {...field("forwardQuery")} choices={FORWARDING} />
    </div>
  );
}
