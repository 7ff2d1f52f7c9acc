/** The QR code of a link that is not there yet, drawn here; a logo comes into it when the link is made. */
import { encodeSlug } from "@hopline/core/link/link-address";
import { toPath } from "@hopline/core/qr/module-shapes";
import { encode } from "uqr";
import { type KeptDesign, toDesign } from "./qr-address.ts";
import { t } from "./words.ts";

type DraftCodeProps = { readonly domain: string; readonly slug: string; readonly kept: KeptDesign };

export function DraftCode({ domain, slug, kept }: DraftCodeProps) {
  const design = toDesign(kept);
  const text = `https://${domain}/${encodeSlug(slug)}`;
  const modules = encode(`${text}?source=qr`, { ecc: "M", border: design.margin });
  return (
    <svg
      className="qr"
      viewBox={`0 0 ${modules.size} ${modules.size}`}
      role="img"
      aria-label={t.qrCode(text)}
    >
      {design.background !== "transparent" && (
        <rect width="100%" height="100%" fill={`#${design.background}`} />
      )}
      <path fill={`#${design.color}`} fillRule="evenodd" d={toPath(modules, design)} />
    </svg>
  );
}
