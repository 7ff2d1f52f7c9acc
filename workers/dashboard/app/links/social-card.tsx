/** How networks show a link, while it is being edited. */
import { useState } from "react";
import { formatUrl } from "../format.ts";
import type { Draft } from "./link-draft.ts";

export function SocialCard({ draft: { url, title, openGraph } }: { readonly draft: Draft }) {
  /** A picture that could not be loaded. */
  const [broken, setBroken] = useState<string | null>(null);
  const image = openGraph?.image ?? "";
  const isBroken = image !== "" && broken === image;
  return (
    <figure className="og-card" aria-label="Social card">
      {image.startsWith("https://") && !isBroken ? (
        <img src={image} alt="" onError={() => setBroken(image)} />
      ) : (
        <div className="og-empty">{isBroken && <span>This picture can&rsquo;t be loaded.</span>}</div>
      )}
      <figcaption>
        <span className="soft small cut">{formatUrl(url)}</span>
        <strong className="cut">{openGraph?.title || title || "Title"}</strong>
        <span className="soft small">
          {openGraph?.description ||
            (openGraph === null
              ? "Without a preview, networks show what the destination says."
              : "Description")}
        </span>
      </figcaption>
    </figure>
  );
}
