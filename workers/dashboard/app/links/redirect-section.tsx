/** How a link redirects. */
import { SelectField } from "../ui/controls.tsx";
import type { SectionProps } from "./section-props.ts";

const REDIRECTS = [
  { value: "", label: "Domain's default" },
  { value: "302", label: "302, temporary" },
  { value: "301", label: "301, permanent: browsers keep it" },
  { value: "307", label: "307, temporary, keeps the method" },
  { value: "308", label: "308, permanent, keeps the method" },
];

export function RedirectSection({ draft, set }: SectionProps) {
  return (
    <div className="two">
      <SelectField
        label="Redirect"
        value={String(draft.redirectStatus ?? "")}
        onChange={(status) =>
          set({
            redirectStatus: ([301, 302, 307, 308] as const).find((one) => String(one) === status) ?? null,
          })
        }
        path="redirectStatus"
        choices={REDIRECTS}
      />
      <SelectField
        label="Visitor's query string"
        value={draft.forwardQuery}
        onChange={(mode) =>
          set({
            forwardQuery: (["visitor-wins", "link-wins"] as const).find((one) => one === mode) ?? "none",
          })
        }
        path="forwardQuery"
        choices={[
          { value: "none", label: "Not passed on" },
          { value: "visitor-wins", label: "Passed on; the visitor's values win" },
          { value: "link-wins", label: "Passed on; the link's values win" },
        ]}
      />
    </div>
  );
}
