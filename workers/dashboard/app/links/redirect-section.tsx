/** How a link redirects. */
import { SelectField } from "../ui/controls.tsx";
import { REDIRECTS } from "./redirects.ts";
import type { SectionProps } from "./section-props.ts";

export const FORWARDING = [
  { value: "none", label: "Not passed on" },
  { value: "visitor-wins", label: "Passed on; the visitor's values win" },
  { value: "link-wins", label: "Passed on; the link's values win" },
] as const;

export function RedirectSection({ draft, set }: SectionProps) {
  return (
    <div className="two">
      <SelectField
        label="Redirect"
        value={draft.redirectStatus}
        onChange={(redirectStatus) => set({ redirectStatus })}
        path="redirectStatus"
        choices={[{ value: null, label: "Domain's default" }, ...REDIRECTS]}
      />
      <SelectField
        label="Visitor's query string"
        value={draft.forwardQuery}
        onChange={(forwardQuery) => set({ forwardQuery })}
        path="forwardQuery"
        choices={FORWARDING}
      />
    </div>
  );
}
