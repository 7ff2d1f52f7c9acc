/** What is added to a link's destination. */
import { FieldError, TextField } from "../ui/controls.tsx";
import type { SectionProps } from "./section-props.ts";

const UTM_FIELDS = [
  { name: "source", label: "Source", placeholder: "newsletter" },
  { name: "medium", label: "Medium", placeholder: "email" },
  { name: "campaign", label: "Campaign", placeholder: "spring-sale" },
  { name: "term", label: "Term", placeholder: "" },
  { name: "content", label: "Content", placeholder: "" },
] as const;

export function UtmSection({ draft, set }: SectionProps) {
  return (
    <>
      <p className="soft">Added to the destination. Analytics can be filtered by them.</p>
      <FieldError path="utm" part="itself" />
      <div className="three">
        {UTM_FIELDS.map(({ name, label, placeholder }) => (
          <TextField
            key={name}
            label={label}
            placeholder={placeholder}
            value={draft.utm?.[name] ?? ""}
            onChange={(text) => set({ utm: { ...draft.utm, [name]: text } })}
            path={`utm.${name}`}
          />
        ))}
      </div>
    </>
  );
}
