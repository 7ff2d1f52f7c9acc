/** What networks are told about a link; social-card.tsx shows it. */
import { AddressField, FieldError, fieldsOf, TextField } from "../ui/controls.tsx";
import { Within } from "../ui/form-context.tsx";
import type { SectionProps } from "./section-props.ts";
import { t } from "./editor-words.ts";

const EMPTY = { title: "", description: "", image: "" };

export function PreviewSection({ draft: { openGraph }, set }: SectionProps) {
  const field = fieldsOf({ ...EMPTY, ...openGraph }, (part) => set({ openGraph: { ...openGraph, ...part } }));
  return (
    <>
      <p className="soft">{t.withoutOneTheyShow}</p>
      <FieldError path="openGraph" part="itself" />
      <Within path="openGraph">
        <TextField label={t.title} {...field("title")} />
        <TextField label={t.description} {...field("description")} />
        <AddressField label={t.picture} placeholder="https://example.com/picture.png" {...field("image")} />
      </Within>
    </>
  );
}
