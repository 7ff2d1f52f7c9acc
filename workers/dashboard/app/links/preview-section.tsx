/** What networks are told about a link; social-card.tsx shows it. */
import { FieldError, TextField } from "../ui/controls.tsx";
import type { Draft } from "./link-draft.ts";
import type { SectionProps } from "./section-props.ts";
import { withScheme } from "./with-scheme.ts";

export function PreviewSection({ draft, set }: SectionProps) {
  const { openGraph } = draft;
  const change = (part: NonNullable<Draft["openGraph"]>) => set({ openGraph: { ...openGraph, ...part } });
  return (
    <>
      <p className="soft">Without one, they show what the destination says about itself.</p>
      <FieldError path="openGraph" part="itself" />
      <TextField
        label="Title"
        value={openGraph?.title ?? ""}
        onChange={(title) => change({ title })}
        path="openGraph.title"
      />
      <TextField
        label="Description"
        value={openGraph?.description ?? ""}
        onChange={(description) => change({ description })}
        path="openGraph.description"
      />
      <TextField
        label="Picture"
        placeholder="https://example.com/picture.png"
        value={openGraph?.image ?? ""}
        onChange={(image) => change({ image })}
        onBlur={() => openGraph?.image && change({ image: withScheme(openGraph.image) })}
        path="openGraph.image"
        inputMode="url"
      />
    </>
  );
}
