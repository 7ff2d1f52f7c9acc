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
    <section id="qr-code" className="card stack" aria-label="QR code">
      <h2>QR code</h2>
      <div className="qr-ground">
        <img
          // Never the address for everybody: browsers keep that one for an hour, with a logo that may be another one by now.
          key={domain?.logo?.updatedAt}
          className="qr"
          src={qrPaths(address, drawn, file).own}
          alt={`QR code of ${link.shortUrl}`}
          onLoad={({ currentTarget }) => setWidthPx(currentTarget.naturalWidth)}
        />
      </div>
      <RangeField
        label="Size"
        value={file.scale}
        min={1}
        max={MAX_SCALE}
        text={widthPx === null ? "…" : `${widthPx} × ${widthPx} pixels`}
        onChange={(scale) => setFile({ ...file, scale })}
      />
      <Segments
        label="Format"
        value={file.format}
        onChange={(format) => setFile({ ...file, format })}
        choices={[
          { value: "svg", label: "SVG, for print" },
          { value: "png", label: "PNG" },
        ]}
      />
      <div className="row wrap">
        <a
          className={buttonClass({ kind: "primary", isSmall: true })}
          href={paths.own}
          download={`${link.slug}.${file.format}`}
        >
          <Download size={15} aria-hidden /> Download
        </a>
        <Button
          icon={Image}
          label="Copy picture"
          isSmall
          onClick={() =>
            void copyPicture(qrPaths(address, kept, { ...file, format: "png" }).own, "the QR code")
          }
        />
        {isPublic && (
          <Button
            icon={Copy}
            label="Copy image address"
            isSmall
            data-hint="An address for <img>, which everybody may load"
            onClick={() => void copy(new URL(paths.forEverybody, location.origin).href)}
          />
        )}
      </div>
      <p className="small soft">
        Scans are counted with the source &ldquo;qr&rdquo;.
        {domains.length > 0 && !isPublic && ` ${link.domain} lets only members load its codes.`}
      </p>
    </section>
  );
}
