/** A QR code as SVG or PNG, with a logo in its middle or without. Pure. */
import { Buffer } from "node:buffer";
import {
  EYE_SIZE,
  eyesOf,
  isInDot,
  isInEye,
  isInRoundEye,
  type Modules,
  type Shapes,
  toPath,
} from "@hopline/core/qr/module-shapes";
import { encode } from "uqr";
import { decodePng } from "./decode-png.ts";
import { MAX_PNG_WIDTH, MAX_PNG_WIDTH_WITH_LOGO } from "./qr-limits.ts";
import { type Color, encodeColorPng, encodeTwoColorPng } from "./encode-png.ts";
import type { Logo } from "./logo.ts";
import { placeLogo, type Rectangle } from "./place-logo.ts";
import { fitInto, type Picture, scalePicture } from "./scale-picture.ts";

export type QrStyle = Shapes & {
  readonly format: "svg" | "png";
  /** Pixels per module. */
  readonly scale: number;
  /** Six hexadecimal digits. */
  readonly color: string;
  /** The same, or `transparent`. */
  readonly background: string;
};

/** Bytes of text that the largest code at level H holds (ISO/IEC 18004, table 7). At level M it holds any short URL. */
const MAX_BYTES_WITH_LOGO = 1_273;

/** @param text ASCII. One that is too long for a code with a logo has none. */
export function drawQr(
  text: string,
  style: QrStyle,
  wanted: Logo | null = null,
): string | Uint8Array<ArrayBuffer> {
  const logo = text.length > MAX_BYTES_WITH_LOGO ? null : wanted;
  // H, the most there is, also corrects what the logo covers.
  const code = encode(text, { ecc: logo === null ? "M" : "H", border: style.margin });
  if (logo === null) {
    return style.format === "svg" ? toSvg(code, style) : toPng(code, style);
  }
  const place = placeLogo(code.size - 2 * style.margin, logo);
  const modules = clear(code, moveBy(style.margin, place.cleared));
  const placed = { logo, box: moveBy(style.margin, place.box) };
  return style.format === "svg" ? toSvg(modules, style, placed) : toColorPng(modules, style, placed);
}

/** In modules, the margin included. */
type PlacedLogo = { readonly logo: Logo; readonly box: Rectangle };

function moveBy(margin: number, { x, y, ...size }: Rectangle): Rectangle {
  return { x: x + margin, y: y + margin, ...size };
}

function clear({ data, size }: Modules, { x: left, y: top, width, height }: Rectangle): Modules {
  const isCleared = (x: number, y: number) => x >= left && x < left + width && y >= top && y < top + height;
  return { size, data: data.map((row, y) => row.map((isDark, x) => isDark && !isCleared(x, y))) };
}

function toSvg(modules: Modules, style: QrStyle, placed?: PlacedLogo): string {
  const { size } = modules;
  const { scale, color, background, dots, eyes } = style;
  const pixels = size * scale;
  const ground =
    background === "transparent" ? "" : `<path fill="#${background}" d="M0 0h${size}v${size}H0z"/>`;
  const picture = placed === undefined ? "" : toSvgImage(placed);
  const edges = dots === "square" && eyes === "square" ? ' shape-rendering="crispEdges"' : "";
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${pixels}" height="${pixels}" viewBox="0 0 ${size} ${size}"${edges}>${ground}<path fill="#${color}" fill-rule="evenodd" d="${toPath(modules, style)}"/>${picture}</svg>`;
}

/** In the file itself: a browser loads nothing from an SVG that is an `<img>`. */
function toSvgImage({ logo, box: { x, y, width, height } }: PlacedLogo): string {
  const address = `data:image/png;base64,${Buffer.from(logo.png).toString("base64")}`;
  return `<image x="${x}" y="${y}" width="${width}" height="${height}" href="${address}"/>`;
}

function toPng(modules: Modules, style: QrStyle): Uint8Array<ArrayBuffer> {
  const scale = Math.min(style.scale, Math.floor(MAX_PNG_WIDTH / modules.size));
  const { width, rows } = toInk(modules, style, scale);
  const colors = [toColor(style.background), toColor(style.color)] as const;
  return encodeTwoColorPng({ width, height: width, rows, colors });
}

function toColorPng(modules: Modules, style: QrStyle, placed: PlacedLogo): Uint8Array<ArrayBuffer> {
  const scale = Math.min(style.scale, Math.floor(MAX_PNG_WIDTH_WITH_LOGO / modules.size));
  const ink = toInk(modules, style, scale);
  const { width } = ink;
  const [dark, light] = [toColor(style.color), toColor(style.background)];
  const channels = style.background === "transparent" ? 4 : 3;
  const rowBytes = width * channels;
  const rows = new Uint8Array(rowBytes * width);
  for (let y = 0; y < width; y += 1) {
    const line = ink.rows.subarray(y * ink.rowBytes, (y + 1) * ink.rowBytes);
    // Most rows of pixels are as the one above.
    if (y > 0 && line.every((byte, at) => byte === ink.rows[(y - 1) * ink.rowBytes + at])) {
      rows.copyWithin(y * rowBytes, (y - 1) * rowBytes, y * rowBytes);
      continue;
    }
    for (let x = 0; x < width; x += 1) {
      const isDark = ((line[x >> 3] ?? 0) & (0x80 >> (x & 7))) !== 0;
      rows.set((isDark ? dark : light).slice(0, channels), y * rowBytes + x * channels);
    }
  }
  drawLogo({ rows, width, channels }, placed, { scale, light });
  return encodeColorPng({ width, height: width, rows, channels });
}

type Ink = { readonly rows: Uint8Array; readonly rowBytes: number; readonly width: number };

/** A set bit is a dark pixel: with four bytes, a large one would take a hundred times the CPU, and no key is needed to ask for it. */
function toInk(modules: Modules, shapes: Shapes, scale: number): Ink {
  const { data, size } = modules;
  const width = size * scale;
  const rowBytes = Math.ceil(width / 8);
  const rows = new Uint8Array(rowBytes * width);
  const eyes = eyesOf(modules, shapes);
  const isSquare = (x: number, y: number) => (isInEye(x, y, eyes) ? shapes.eyes : shapes.dots) === "square";
  const set = (x: number, y: number) => {
    const at = y * rowBytes + (x >> 3);
    rows[at] = (rows[at] ?? 0) | (0x80 >> (x & 7));
  };
  data.forEach((row, y) => {
    row.forEach((isDark, x) => {
      for (let column = x * scale; isDark && isSquare(x, y) && column < (x + 1) * scale; column += 1) {
        set(column, y * scale);
      }
    });
    repeatRow(rows, { first: y * scale * rowBytes, rowBytes, times: scale });
  });
  /** Pixel by pixel, from that module on. */
  const paint = (left: number, top: number, { side, isDark }: Round) => {
    for (let y = 0; y < side * scale; y += 1) {
      for (let x = 0; x < side * scale; x += 1) {
        if (isDark((x + 0.5) / scale, (y + 0.5) / scale)) {
          set(left * scale + x, top * scale + y);
        }
      }
    }
  };
  if (shapes.dots === "round") {
    data.forEach((row, y) =>
      row.forEach((isDark, x) => {
        if (isDark && !isInEye(x, y, eyes)) {
          paint(x, y, ROUND_DOT);
        }
      }),
    );
  }
  if (shapes.eyes === "round") {
    eyes.forEach(([x, y]) => paint(x, y, ROUND_EYE));
  }
  return { rows, rowBytes, width };
}

type Round = { readonly side: number; readonly isDark: (x: number, y: number) => boolean };
const ROUND_DOT: Round = { side: 1, isDark: isInDot };
const ROUND_EYE: Round = { side: EYE_SIZE, isDark: isInRoundEye };

/** Of all rows of a module only the first is drawn. */
function repeatRow(
  rows: Uint8Array,
  { first, rowBytes, times }: { readonly first: number; readonly rowBytes: number; readonly times: number },
): void {
  for (let line = 1; line < times; line += 1) {
    rows.copyWithin(first + line * rowBytes, first, first + rowBytes);
  }
}

type Canvas = { readonly rows: Uint8Array; readonly width: number; readonly channels: 3 | 4 };

function drawLogo(
  { rows, width, channels }: Canvas,
  { logo, box }: PlacedLogo,
  { scale, light }: { readonly scale: number; readonly light: Color },
): void {
  const picture = scalePicture(
    readKept(logo),
    fitInto(logo, { width: box.width * scale, height: box.height * scale }),
  );
  const left = Math.round((box.x + box.width / 2) * scale - picture.width / 2);
  const top = Math.round((box.y + box.height / 2) * scale - picture.height / 2);
  for (let y = 0; y < picture.height; y += 1) {
    for (let x = 0; x < picture.width; x += 1) {
      const from = (y * picture.width + x) * 4;
      const to = ((top + y) * width + left + x) * channels;
      // Where there is no background, the logo's own alpha stays.
      const opacity = channels === 4 ? 1 : (picture.pixels[from + 3] ?? 0) / 255;
      for (let channel = 0; channel < channels; channel += 1) {
        const [over, under] = [picture.pixels[from + channel] ?? 0, light[channel] ?? 0];
        rows[to + channel] = Math.round(over * opacity + under * (1 - opacity));
      }
    }
  }
}

function readKept(logo: Logo): Picture {
  const decoded = decodePng(logo.png);
  if (!decoded.ok) {
    throw new Error(`invariant: a logo that was kept ${decoded.error}`);
  }
  return decoded.picture;
}

function toColor(color: string): Color {
  if (color === "transparent") {
    return [255, 255, 255, 0];
  }
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return [red, green, blue, 255];
}
