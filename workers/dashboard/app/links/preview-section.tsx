/** What networks are told about a link; social-card.tsx shows it. */
import { AddressField, FieldError, fieldsOf, TextField } from "../ui/controls.tsx";
import { Within } from "../ui/fault-context.tsx";
import type { SectionProps } from "./section-props.ts";

const EMPTY = { title: "", description: "", image: "" };

export function PreviewSection({ draft: { openGraph }, set }: SectionProps) {
  const field = fieldsOf({ ...EMPTY, ...openGraph }, (part) => set({ openGraph: { ...openGraph, ...part } }));
  return (
    <>
      <p className="soft">Without one, they show what the destination says about itself.</p>
      <FieldError path="openGraph" part="itself" />
      <Within path="openGraph">
        <TextField label="Title" {...field("title")} />
        <TextField label="Description" {...field("description")} />
        <AddressField label="Picture" placeholder="https://example.com/picture.png" {...field("image")} />
      </Within>
    </>
  );
}
