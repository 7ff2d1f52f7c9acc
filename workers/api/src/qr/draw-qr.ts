/** A QR code as SVG or PNG. Pure. */
import { encode as encodePng } from "fast-png";
import { encode } from "uqr";

export type QrStyle = {
  readonly format: "svg" | "png";
  /** Pixels per module. */
  readonly scale: number;
  /** Light modules around the code. */
  readonly margin: number;
  /** Six hexadecimal digits. */
  readonly color: string;
  /** The same, or `transparent`. */
  readonly background: string;
};

/** A PNG is not drawn wider than this, in pixels: it is drawn in memory. */
export const MAX_PNG_WIDTH = 2_048;

export function drawQr(text: string, style: QrStyle): string | Uint8Array<ArrayBuffer> {
  const modules = encode(text, { ecc: "M", border: style.margin });
  return style.format === "svg" ? toSvg(modules, style) : toPng(modules, style);
}

type Modules = { readonly data: readonly (readonly boolean[])[]; readonly size: number };

/** One path with a square for each dark module. */
function toSvg({ data, size }: Modules, { scale, color, background }: QrStyle): string {
  const squares = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  const pixels = size * scale;
  const ground =
    background === "transparent" ? "" : `<path fill="#${background}" d="M0 0h${size}v${size}H0z"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${pixels}" height="${pixels}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">${ground}<path fill="#${color}" d="${squares.join("")}"/></svg>`;
}

function toPng(
  { data, size }: Modules,
  { scale: wanted, color, background }: QrStyle,
): Uint8Array<ArrayBuffer> {
  const scale = Math.min(wanted, Math.floor(MAX_PNG_WIDTH / size));
  const [dark, light] = [toPixel(color), toPixel(background)];
  const width = size * scale;
  const pixels = new Uint8Array(width * width * 4);
  data.forEach((row, y) => {
    const first = y * scale * width * 4;
    row.forEach((isDark, x) => {
      for (let column = x * scale; column < (x + 1) * scale; column += 1) {
        pixels.set(isDark ? dark : light, first + column * 4);
      }
    });
    for (let line = 1; line < scale; line += 1) {
      pixels.copyWithin(first + line * width * 4, first, first + width * 4);
    }
  });
  return new Uint8Array(encodePng({ width, height: width, data: pixels, channels: 4 }));
}

/** Red, green, blue, alpha. */
function toPixel(color: string): readonly number[] {
  return color === "transparent"
    ? [255, 255, 255, 0]
    : [0, 2, 4].map((at) => Number.parseInt(color.slice(at, at + 2), 16)).concat(255);
}
