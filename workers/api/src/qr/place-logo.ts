/**
 * Where a logo stands in a QR code: in the middle, in place of a sixteenth of the modules at most. Level H corrects 30 % of a code,
 * so that what is left for dirt is about what a code without a logo has (level M). Pure.
 */
import type { Size } from "./scale-picture.ts";

export type Rectangle = Size & { readonly x: number; readonly y: number };

export type LogoPlace = {
  /** Modules that are light, for the logo and a border around it. */
  readonly cleared: Rectangle;
  /** What the logo fits into: half a module is left on each side. */
  readonly box: Rectangle;
};

/** Of the code's side: the side of a square logo, and the most of a wide or a high one. */
const SQUARE_SHARE = 1 / 4;
const MAX_SHARE = 2 / 5;
const BORDER = 1 / 2;

/** In modules, from the code's top left corner. `side`: of the code, without its margin; an odd number. */
export function placeLogo(side: number, logo: Size): LogoPlace {
  const stretch = Math.min(
    Math.sqrt(Math.max(logo.width, logo.height) / Math.min(logo.width, logo.height)),
    MAX_SHARE / SQUARE_SHARE,
  );
  const [long, short] = [stretch, 1 / stretch].map((one) => largestOdd(SQUARE_SHARE * side * one));
  const [width = 1, height = 1] = logo.width > logo.height ? [long, short] : [short, long];
  const cleared = { x: (side - width) / 2, y: (side - height) / 2, width, height };
  const box = {
    x: cleared.x + BORDER,
    y: cleared.y + BORDER,
    width: width - 2 * BORDER,
    height: height - 2 * BORDER,
  };
  return { cleared, box };
}

/** In the middle of an odd number of modules is room for an odd number. */
function largestOdd(most: number): number {
  return 2 * Math.floor((most - 1) / 2) + 1;
}
