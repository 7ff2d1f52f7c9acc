/** What is added to a link's destination. */
import { FieldError, TextField } from "../ui/controls.tsx";
import { UTM_FIELDS } from "./link-defaults.ts";
import type { SectionProps } from "./section-props.ts";

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
