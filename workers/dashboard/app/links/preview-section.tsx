/** How networks show a link. */
import { useState } from "react";
import { formatUrl } from "../format.ts";
import { FieldError, TextField } from "../ui/controls.tsx";
import type { Draft } from "./link-draft.ts";
import type { SectionProps } from "./section-props.ts";
import { withScheme } from "./with-scheme.ts";

export function PreviewSection({ draft, set }: SectionProps) {
  const { openGraph } = draft;
  /** A picture that could not be loaded. */
  const [broken, setBroken] = useState<string | null>(null);
  const change = (part: NonNullable<Draft["openGraph"]>) => set({ openGraph: { ...openGraph, ...part } });
  return (
    <>
      <p className="soft">Without one, they show what the destination says about itself.</p>
      <FieldError path="openGraph" part="itself" />
      <div className="preview-grid">
        <div className="stack">
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
        </div>
        <figure className="og-card" aria-label="How it looks">
          {openGraph?.image !== undefined &&
          openGraph.image.startsWith("https://") &&
          broken !== openGraph.image ? (
            <img src={openGraph.image} alt="" onError={() => setBroken(openGraph.image ?? null)} />
          ) : (
            <div className="og-empty">
              {broken !== null && broken === openGraph?.image && (
                <span>This picture can&rsquo;t be loaded.</span>
              )}
            </div>
          )}
          <figcaption>
            <span className="soft small cut">{formatUrl(draft.url)}</span>
            <strong className="cut">{openGraph?.title || draft.title || "Title"}</strong>
            <span className="soft small">{openGraph?.description || "Description"}</span>
          </figcaption>
        </figure>
      </div>
    </>
  );
}
