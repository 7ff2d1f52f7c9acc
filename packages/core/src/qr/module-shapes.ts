/** The shapes of a QR code's modules, as a path and point by point: the API draws files, the dashboard what is not saved yet. Pure. */

export const MODULE_SHAPES = ["square", "round"] as const;
export type ModuleShape = (typeof MODULE_SHAPES)[number];

/** By row; a dark module is true. The margin is in it. */
export type Modules = { readonly data: readonly (readonly boolean[])[]; readonly size: number };

export type Shapes = {
  /** Light modules around the code. */
  readonly margin: number;
  readonly dots: ModuleShape;
  /** Of the three patterns in the corners, which scanners look for first. */
  readonly eyes: ModuleShape;
};

/** In modules; its corners are quarters of a circle. */
type RoundSquare = { readonly side: number; readonly radius: number };

/** Modules along a side of an eye (ISO/IEC 18004, 6.3.3). */
export const EYE_SIZE = 7;
/** From outside: the edge of the ring, its inner one, and the middle. */
const EYE_EDGES: readonly RoundSquare[] = [
  { side: EYE_SIZE, radius: 2.25 },
  { side: 5, radius: 1.5 },
  { side: 3, radius: 1 },
];
/** Rounder ones, which cover less, are not read at some sizes. */
const DOT: RoundSquare = { side: 1, radius: 0.3 };

/** The corners of the eyes, in modules. */
export function eyesOf({ size }: Modules, { margin }: Shapes): readonly (readonly [x: number, y: number])[] {
  const far = size - margin - EYE_SIZE;
  return [
    [margin, margin],
    [far, margin],
    [margin, far],
  ];
}

export function isInEye(x: number, y: number, eyes: ReturnType<typeof eyesOf>): boolean {
  return eyes.some(([left, top]) => x >= left && x < left + EYE_SIZE && y >= top && y < top + EYE_SIZE);
}

/** Whether a point of a round module is dark; from its corner, in modules. */
export function isInDot(x: number, y: number): boolean {
  return isWithin(DOT, x - DOT.side / 2, y - DOT.side / 2);
}

/** The same of a round eye. */
export function isInRoundEye(x: number, y: number): boolean {
  const around = EYE_EDGES.filter((edge) => isWithin(edge, x - EYE_SIZE / 2, y - EYE_SIZE / 2));
  return around.length % 2 === 1;
}

/** From its middle. */
function isWithin({ side, radius }: RoundSquare, x: number, y: number): boolean {
  const beyond = (at: number) => Math.max(0, Math.abs(at) - side / 2 + radius);
  return Math.hypot(beyond(x), beyond(y)) <= radius;
}

/** For `fill-rule="evenodd"`. */
export function toPath(modules: Modules, shapes: Shapes): string {
  const eyes = eyesOf(modules, shapes);
  const dots = modules.data.flatMap((row, y) =>
    row.flatMap((isDark, x) => {
      const isOfEye = isInEye(x, y, eyes);
      if (!isDark || (isOfEye && shapes.eyes === "round")) {
        return [];
      }
      return [isOfEye || shapes.dots === "square" ? `M${x} ${y}h1v1h-1z` : draw(DOT, x, y)];
    }),
  );
  const round = eyes.flatMap(([x, y]) =>
    EYE_EDGES.map((edge) => draw(edge, x + (EYE_SIZE - edge.side) / 2, y + (EYE_SIZE - edge.side) / 2)),
  );
  return [...dots, ...(shapes.eyes === "round" ? round : [])].join("");
}

function draw({ side, radius }: RoundSquare, left: number, top: number): string {
  const straight = Number((side - 2 * radius).toFixed(2));
  const corner = (x: number, y: number) => `a${radius} ${radius} 0 0 1 ${x * radius} ${y * radius}`;
  return `M${left + radius} ${top}h${straight}${corner(1, 1)}v${straight}${corner(-1, 1)}h-${straight}${corner(-1, -1)}v-${straight}${corner(1, -1)}z`;
}
