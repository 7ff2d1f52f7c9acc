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

/** One bit a pixel: with four bytes, a large one would take half a second of CPU, which anybody may ask for. */
function toPng(
  { data, size }: Modules,
  { scale: wanted, color, background }: QrStyle,
): Uint8Array<ArrayBuffer> {
  const scale = Math.min(wanted, Math.floor(MAX_PNG_WIDTH / size));
  const width = size * scale;
  const rowBytes = Math.ceil(width / 8);
  const pixels = new Uint8Array(rowBytes * width);
  data.forEach((row, y) => {
    const first = y * scale * rowBytes;
    row.forEach((isDark, x) => {
      for (let column = x * scale; isDark && column < (x + 1) * scale; column += 1) {
        const at = first + Math.floor(column / 8);
        pixels[at] = (pixels[at] ?? 0) | (0x80 >> (column % 8));
      }
    });
    for (let line = 1; line < scale; line += 1) {
      pixels.copyWithin(first + line * rowBytes, first, first + rowBytes);
    }
  });
  const hasAlpha = background === "transparent";
  const palette = [background, color].map((one) => toColor(one, hasAlpha));
  return new Uint8Array(encodePng({ width, height: width, data: pixels, channels: 1, depth: 1, palette }));
}

/** Red, green, blue, and alpha. */
function toColor(color: string, hasAlpha: boolean): number[] {
  if (color === "transparent") {
    return [255, 255, 255, 0];
  }
  const channels = [0, 2, 4].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return hasAlpha ? [...channels, 255] : channels;
}
