/**
 * A domain's logo, from the PNG of a request: decoded, scaled down and encoded again, so that no byte is served as it came.
 * Pure.
 */
import { decodePng } from "./decode-png.ts";
import { encodeColorPng } from "./encode-png.ts";
import { fitInto, type Picture, scalePicture, type Size } from "./scale-picture.ts";

export type Logo = Size & {
  /** 8-bit RGBA. */
  readonly png: Uint8Array<ArrayBuffer>;
};

/**
 * Of what is kept, in pixels: as wide as a logo gets in the largest code as a PNG. Each SVG has the whole logo in it, so one that
 * can't be compressed, such as a photograph, is kept smaller; that one takes 64 KiB at most.
 */
const MAX_KEPT_SIDE = 256;
const MAX_PHOTO_SIDE = 128;
const MAX_KEPT_BYTES = 65_536;

export type ReadLogo =
  | { readonly ok: true; readonly logo: Logo }
  /** For people: `is not a PNG`. */
  | { readonly ok: false; readonly error: string };

export function readLogo(file: Uint8Array): ReadLogo {
  const decoded = decodePng(file);
  if (!decoded.ok) {
    return decoded;
  }
  const logo = keep(decoded.picture, MAX_KEPT_SIDE);
  return { ok: true, logo: logo.png.length > MAX_KEPT_BYTES ? keep(decoded.picture, MAX_PHOTO_SIDE) : logo };
}

function keep(picture: Picture, maxSide: number): Logo {
  const most = { width: Math.min(picture.width, maxSide), height: Math.min(picture.height, maxSide) };
  const { width, height, pixels } = scalePicture(picture, fitInto(picture, most));
  return { width, height, png: encodeColorPng({ width, height, rows: pixels, channels: 4 }) };
}
