/** What is added to a link's destination. */
import { FieldError, fieldsOf, TextField } from "../ui/controls.tsx";
import { Within } from "../ui/form-context.tsx";
import type { SectionProps } from "./section-props.ts";
import { UTM_FIELDS, t } from "./editor-words.ts";

const EMPTY = { source: "", medium: "", campaign: "", term: "", content: "" };

export function UtmSection({ draft: { utm }, set }: SectionProps) {
  const field = fieldsOf({ ...EMPTY, ...utm }, (part) => set({ utm: { ...utm, ...part } }));
  return (
    <>
      <p className="soft">{t.addedToDestination}</p>
      <FieldError path="utm" part="itself" />
      <div className="three">
        <Within path="utm">
          {UTM_FIELDS.map(({ name, ...words }) => (
            <TextField key={name} {...words} {...field(name)} />
          ))}
        </Within>
      </div>
    </>
  );
}
