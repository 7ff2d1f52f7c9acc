/** How a QR code looks, the addresses of its image, and whether scanners will like it. Pure. */
import { stringifySearch } from "../search-params.ts";

export type QrDesign = {
  readonly format: "svg" | "png";
  /** `#rrggbb`, of the dark modules. */
  readonly color: string;
  /** `#rrggbb`; `null`: transparent. */
  readonly background: string | null;
  /** Light modules around the code. */
  readonly margin: number;
  /** Pixels per module. */
  readonly scale: number;
  /** With the domain's logo, if it has one. */
  readonly hasLogo: boolean;
};

/** What the API draws when nothing is said. */
export const PLAIN_QR: QrDesign = {
  format: "svg",
  color: "#000000",
  background: "#ffffff",
  margin: 4,
  scale: 8,
  hasLogo: true,
};

/** What the API takes. */
export const MAX_MARGIN = 16;
export const MAX_SCALE = 32;

type Address = {
  readonly workspaceId: string;
  readonly id: string;
  readonly domain: string;
  readonly slug: string;
};

/** The one that everybody may load, and the one that needs the session; both are paths of this origin. */
export function qrPaths({ workspaceId, id, domain, slug }: Address, design: QrDesign) {
  const search = toSearch(design);
  return {
    forEverybody: `/api/qr/${encodeURIComponent(domain)}/${encodeURIComponent(slug)}${stringifySearch(search)}`,
    own: `/api/v1/links/${id}/qr${stringifySearch({ workspace: workspaceId, ...search })}`,
  };
}

/** Only what differs from the plain one: short addresses are copied into pages and emails. */
function toSearch({ format, color, background, margin, scale, hasLogo }: QrDesign) {
  const plain = PLAIN_QR;
  return {
    ...(format === plain.format ? {} : { format }),
    ...(color === plain.color ? {} : { color: color.slice(1) }),
    ...(background === plain.background ? {} : { background: background?.slice(1) ?? "transparent" }),
    ...(margin === plain.margin ? {} : { margin }),
    ...(scale === plain.scale ? {} : { scale }),
    ...(hasLogo === plain.hasLogo ? {} : { logo: hasLogo }),
  };
}

/** Below this contrast (WCAG's ratio, 1 to 21), phones in bad light fail. */
const LEAST_CONTRAST = 4;

/** What may keep scanners from reading it; `null`: nothing. */
export function judgeQr({ color, background, margin }: QrDesign): string | null {
  const [dark, light] = [luminance(color), luminance(background ?? "#ffffff")];
  if (dark > light) {
    return "Many scanners can't read light modules on a dark ground.";
  }
  if ((light + 0.05) / (dark + 0.05) < LEAST_CONTRAST) {
    return "The colours are too close to each other for some cameras.";
  }
  return margin < PLAIN_QR.margin
    ? `Keep as much free space around it as ${PLAIN_QR.margin} modules take.`
    : null;
}

/** WCAG's relative luminance of `#rrggbb`, 0 to 1. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
