/** How a link redirects. */
import { fieldsOf, SelectField } from "../ui/controls.tsx";
import type { SectionProps } from "./section-props.ts";
import { FORWARDING, REDIRECTS, t } from "./editor-words.ts";

export function RedirectSection({ draft, set }: SectionProps) {
  const field = fieldsOf(draft, set);
  return (
    <div className="two">
      <SelectField
        label={t.redirect}
        {...field("redirectStatus")}
        choices={[{ value: null, label: t.domainsDefault }, ...REDIRECTS]}
      />
      <SelectField label={t.visitorsQueryString} {...field("forwardQuery")} choices={FORWARDING} />
    </div>
  );
}
