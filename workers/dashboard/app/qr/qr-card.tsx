/** A link's QR code as its form designs it: as a picture, as a file, and as an address for pages and emails. */
import type { Link } from "@hopline/client/openapi";
import { useQuery } from "@tanstack/react-query";
import { Copy, Download, Image } from "lucide-react";
import { useState } from "react";
import { useDebounced } from "../links/use-debounced.ts";
import { domainsQuery, useWorkspace } from "../queries.ts";
import { Button, buttonClass, Segments } from "../ui/controls.tsx";
import { copy, copyPicture } from "../ui/copy.ts";
import { type KeptDesign, MAX_SCALE, PLAIN_FILE, type QrFile, qrPaths } from "./qr-address.ts";
import { RangeField } from "./qr-section.tsx";
import { t } from "./words.ts";
import { shared } from "../words.ts";

/** Dragging through colours asks for the last of them. */
const DRAW_DELAY_MS = 200;

type QrCardProps = { readonly link: Link; readonly kept: KeptDesign };

export function QrCard({ link, kept }: QrCardProps) {
  const address = { ...link, workspaceId: useWorkspace().id };
  const [file, setFile] = useState<QrFile>(PLAIN_FILE);
  const [widthPx, setWidthPx] = useState<number | null>(null);
  const drawn = useDebounced(kept, DRAW_DELAY_MS);
  const { data: domains = [] } = useQuery(domainsQuery);
  // Until the domains are known it is not said that there is an address for everybody.
  const domain = domains.find(({ host }) => host === link.domain);
  const isPublic = domain?.hasPublicQr === true;
  const paths = qrPaths(address, kept, file);
  return (
    <section id="qr-code" className="card stack" aria-label={shared.qrCode}>
      <h2>{shared.qrCode}</h2>
      <div className="qr-ground">
        <img
          // Never the address for everybody: browsers keep that one for an hour, with a logo that may be another one by now.
          key={domain?.logo?.updatedAt}
          className="qr"
          src={qrPaths(address, drawn, file).own}
          alt={t.qrCodeOfShortUrl(link.shortUrl)}
          onLoad={({ currentTarget }) => setWidthPx(currentTarget.naturalWidth)}
        />
      </div>
      <RangeField
        label={t.size}
        value={file.scale}
        min={1}
        max={MAX_SCALE}
        text={widthPx === null ? "…" : `${widthPx} × ${widthPx} pixels`}
        onChange={(scale) => setFile({ ...file, scale })}
      />
      <Segments
        label={t.format}
        value={file.format}
        onChange={(format) => setFile({ ...file, format })}
        choices={[
          { value: "svg", label: t.svgForPrint },
          { value: "png", label: t.png },
        ]}
      />
      <div className="row wrap">
        <a
          className={buttonClass({ kind: "primary", isSmall: true })}
          href={paths.own}
          download={`${link.slug}.${file.format}`}
        >
          <Download size={15} aria-hidden /> {t.download}
        </a>
        <Button
          icon={Image}
          label={t.copyPicture}
          isSmall
          onClick={() =>
            void copyPicture(qrPaths(address, kept, { ...file, format: "png" }).own, t.qrCodeText)
          }
        />
        {isPublic && (
          <Button
            icon={Copy}
            label={t.copyImageAddress}
            isSmall
            data-hint={t.addressForImg}
            onClick={() => void copy(new URL(paths.forEverybody, location.origin).href)}
          />
        )}
      </div>
      <p className="small soft">{t.scansAreCountedWithSource(domains.length, isPublic, link.domain)}</p>
    </section>
  );
}
