/** How networks show a link, while it is being edited. */
import { useState } from "react";
import { formatUrl } from "../format.ts";
import type { Draft } from "./link-draft.ts";
import { t } from "./editor-words.ts";

export function SocialCard({ draft: { url, title, openGraph } }: { readonly draft: Draft }) {
  /** A picture that could not be loaded. */
  const [broken, setBroken] = useState<string | null>(null);
  const image = openGraph?.image ?? "";
  const isBroken = image !== "" && broken === image;
  return (
    <figure className="og-card" aria-label={t.socialCard}>
      {image.startsWith("https://") && !isBroken ? (
        <img src={image} alt="" onError={() => setBroken(image)} />
      ) : (
        <div className="og-empty">{isBroken && <span>{t.thisPictureCantBeLoaded}</span>}</div>
      )}
      <figcaption>
        <span className="soft small cut">{formatUrl(url)}</span>
        <strong className="cut">{openGraph?.title || title || t.title}</strong>
        <span className="soft small">
          {openGraph?.description || (openGraph === null ? t.withoutPreviewNetworksShow : t.description)}
        </span>
      </figcaption>
    </figure>
  );
}
