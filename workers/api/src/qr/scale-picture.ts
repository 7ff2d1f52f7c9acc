/** A picture in another size: each pixel is the mean of the area that it covers. Pure. */

export type Picture = {
  readonly width: number;
  readonly height: number;
  /** From the top left: red, green, blue and alpha, 0 to 255 each. */
  readonly pixels: Uint8Array;
};

export type Size = { readonly width: number; readonly height: number };

/** The largest size with these proportions that fits; whole numbers, at least 1. */
export function fitInto({ width, height }: Size, most: Size): Size {
  const factor = Math.min(most.width / width, most.height / height);
  return {
    width: Math.max(1, Math.round(width * factor)),
    height: Math.max(1, Math.round(height * factor)),
  };
}

export function scalePicture({ width, height, pixels }: Picture, to: Size): Picture {
  const [columns, rows] = [listSpans(width, to.width), listSpans(height, to.height)];
  const scaled = new Uint8Array(to.width * to.height * 4);
  rows.forEach((lines, y) => {
    columns.forEach((cells, x) => {
      let red = 0;
      let green = 0;
      let blue = 0;
      let alpha = 0;
      for (const line of lines) {
        for (const cell of cells) {
          const at = (line.at * width + cell.at) * 4;
          const share = line.share * cell.share;
          // What can't be seen has no colour.
          const visible = share * (pixels[at + 3] ?? 0);
          red += visible * (pixels[at] ?? 0);
          green += visible * (pixels[at + 1] ?? 0);
          blue += visible * (pixels[at + 2] ?? 0);
          alpha += visible;
        }
      }
      const seen = alpha === 0 ? 1 : alpha;
      const into = (y * to.width + x) * 4;
      scaled[into] = Math.round(red / seen);
      scaled[into + 1] = Math.round(green / seen);
      scaled[into + 2] = Math.round(blue / seen);
      scaled[into + 3] = Math.round(alpha);
    });
  });
  return { ...to, pixels: scaled };
}

type Part = { readonly at: number; readonly share: number };

/** For each of `to` equal parts of a line of `from` pixels: the pixels in it, and what part of it each takes. */
function listSpans(from: number, to: number): readonly (readonly Part[])[] {
  const length = from / to;
  return Array.from({ length: to }, (_, index) => {
    const [start, end] = [index * length, (index + 1) * length];
    const first = Math.floor(start);
    const count = Math.min(Math.ceil(end), from) - first;
    return Array.from({ length: count }, (_whole, offset) => {
      const at = first + offset;
      return { at, share: (Math.min(end, at + 1) - Math.max(start, at)) / length };
    });
  });
}
