/** How a link redirects. */
import { fieldsOf, SelectField } from "../ui/controls.tsx";
import type { SectionProps } from "./section-props.ts";
import { FORWARDING, REDIRECTS } from "./editor-words.ts";

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
