/** A link's QR code: how it looks, as a file, and as an address for pages and emails. */
import type { Link } from "@hopline/client/openapi";
import { useQuery } from "@tanstack/react-query";
import { Copy, Download } from "lucide-react";
import { useState } from "react";
import { copy } from "../ui/copy.ts";
import { useDebounced } from "../links/use-debounced.ts";
import { domainsQuery, useWorkspace } from "../queries.ts";
import { Button, buttonClass, Field, Segments, Switch } from "../ui/controls.tsx";
import { Note } from "../ui/notes.tsx";
import { keepDesign, readDesign } from "./kept-design.ts";
import { judgeQr, MAX_MARGIN, MAX_SCALE, PLAIN_QR, type QrDesign, qrPaths } from "./qr-address.ts";

/** Dragging through colours asks for the last of them. */
const DRAW_DELAY_MS = 200;

export function QrCard({ link }: { readonly link: Link }) {
  const address = { ...link, workspaceId: useWorkspace().id };
  const [design, setDesign] = useState(() => readDesign(address));
  const [widthPx, setWidthPx] = useState<number | null>(null);
  const drawn = useDebounced(design, DRAW_DELAY_MS);
  const { data: domains = [] } = useQuery(domainsQuery);
  // Until the domains are known it is not said that there is an address for everybody.
  const domain = domains.find(({ host }) => host === link.domain);
  const isPublic = domain?.hasPublicQr === true;
  const logo = domain?.logo ?? null;
  const set = (change: Partial<QrDesign>) => {
    const next = { ...design, ...change };
    setDesign(next);
    keepDesign(address, next);
  };
  const warning = judgeQr(design);
  return (
    <section id="qr-code" className="card stack" aria-label="QR code">
      <h2>QR code</h2>
      <div className="qr-ground">
        <img
          // Never the address for everybody: browsers keep that one for an hour, with a logo that may be another one by now.
          key={logo?.updatedAt}
          className="qr"
          src={qrPaths(address, drawn).own}
          alt={`QR code of ${link.shortUrl}`}
          onLoad={({ currentTarget }) => setWidthPx(currentTarget.naturalWidth)}
        />
      </div>
      {warning !== null && <Note kind="warn">{warning}</Note>}
      <div className="two narrow">
        <ColorField label="Colour" value={design.color} onChange={(color) => set({ color })} />
        {design.background !== null && (
          <ColorField
            label="Background"
            value={design.background}
            onChange={(background) => set({ background })}
          />
        )}
      </div>
      <Switch
        label="No background"
        isOn={design.background === null}
        onChange={(isOn) => set({ background: isOn ? null : PLAIN_QR.background })}
      />
      {logo !== null && (
        <Switch
          label={`Logo of ${link.domain}`}
          isOn={design.hasLogo}
          onChange={(hasLogo) => set({ hasLogo })}
        />
      )}
      <RangeField
        label="Margin"
        value={design.margin}
        min={0}
        max={MAX_MARGIN}
        text={`${design.margin} modules`}
        onChange={(margin) => set({ margin })}
      />
      <RangeField
        label="Size"
        value={design.scale}
        min={1}
        max={MAX_SCALE}
        text={widthPx === null ? "…" : `${widthPx} × ${widthPx} pixels`}
        onChange={(scale) => set({ scale })}
      />
      <Segments
        label="Format"
        value={design.format}
        onChange={(format) => set({ format })}
        choices={[
          { value: "svg", label: "SVG, for print" },
          { value: "png", label: "PNG" },
        ]}
      />
      <div className="row wrap">
        <a
          className={buttonClass({ kind: "primary", isSmall: true })}
          href={qrPaths(address, design).own}
          download={`${link.slug}.${design.format}`}
        >
          <Download size={15} aria-hidden /> Download
        </a>
        {isPublic && (
          <Button
            isSmall
            data-hint="An address for <img>, which everybody may load"
            onClick={() => void copy(new URL(qrPaths(address, design).forEverybody, location.origin).href)}
          >
            <Copy size={15} aria-hidden /> Copy image address
          </Button>
        )}
      </div>
      <p className="small soft">
        Scans are counted with the source &ldquo;qr&rdquo;. This browser keeps the design, and begins with it
        for other links.
        {domains.length > 0 && !isPublic && ` ${link.domain} lets only members load its codes.`}
      </p>
    </section>
  );
}

type ColorFieldProps = {
  readonly label: string;
  readonly value: string;
  readonly onChange: (color: string) => void;
};

function ColorField({ label, value, onChange }: ColorFieldProps) {
  return (
    <Field label={label}>
      {(props) => (
        <input
          {...props}
          type="color"
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

type RangeFieldProps = {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  /** The value, as people read it. */
  readonly text: string;
  readonly onChange: (value: number) => void;
};

function RangeField({ label, value, min, max, text, onChange }: RangeFieldProps) {
  return (
    <Field
      label={
        <span className="row">
          {label} <span className="soft spread">{text}</span>
        </span>
      }
    >
      {({ className: _className, ...props }) => (
        <input
          {...props}
          type="range"
          aria-label={label}
          aria-valuetext={text}
          min={min}
          max={max}
          value={value}
          onChange={(event) => onChange(Number(event.currentTarget.value))}
        />
      )}
    </Field>
  );
}
