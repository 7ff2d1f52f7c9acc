/** How a QR code looks, the addresses of its image, and whether scanners will like it. Pure. */
import type { Link } from "@hopline/client/openapi";
import { stringifySearch } from "../search-params.ts";
import { t } from "./words.ts";

/** What a link keeps of it; `null` for what the API draws when nothing is said. */
export type KeptDesign = Link["qr"];
/** With six hexadecimal digits for a colour. */
export type QrDesign = Required<NonNullable<KeptDesign>>;

const PLAIN_QR: QrDesign = {
  color: "000000",
  background: "ffffff",
  margin: 4,
  dots: "square",
  eyes: "square",
  logo: true,
};

export type QrFile = {
  readonly format: "svg" | "png";
  /** Pixels per module. */
  readonly scale: number;
};
export const PLAIN_FILE: QrFile = { format: "svg", scale: 8 };

export function toDesign(kept: KeptDesign): QrDesign {
  return { ...PLAIN_QR, ...kept };
}

/** Only what differs from the plain one: short addresses are copied into pages and emails. */
export function toKept(design: QrDesign): KeptDesign {
  const kept = withoutPlain(design, PLAIN_QR);
  return Object.keys(kept).length === 0 ? null : kept;
}

function withoutPlain<Values extends object>(values: Values, plain: Values): Partial<Values> {
  const own = Object.entries(values).filter(([name, value]) => value !== plain[name as keyof Values]);
  return Object.fromEntries(own) as Partial<Values>;
}

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
export function qrPaths({ workspaceId, id, domain, slug }: Address, kept: KeptDesign, file: QrFile) {
  const search = { ...withoutPlain(file, PLAIN_FILE), ...kept };
  return {
    forEverybody: `/api/qr/${encodeURIComponent(domain)}/${encodeURIComponent(slug)}${stringifySearch(search)}`,
    own: `/api/v1/links/${id}/qr${stringifySearch({ workspace: workspaceId, ...search })}`,
  };
}

/** Below this contrast (WCAG's ratio, 1 to 21), phones in bad light fail. */
const LEAST_CONTRAST = 4;

/** What may keep scanners from reading it; `null`: nothing. */
export function judgeQr({ color, background, margin }: QrDesign): string | null {
  const [dark, light] = [luminance(color), luminance(background === "transparent" ? "ffffff" : background)];
  if (dark > light) {
    return t.manyScannersCantReadLight;
  }
  if ((light + 0.05) / (dark + 0.05) < LEAST_CONTRAST) {
    return t.coloursAreTooSimilar;
  }
  return margin < PLAIN_QR.margin ? t.keepMarginAtLeastModules(PLAIN_QR.margin) : null;
}

/** WCAG's relative luminance of `rrggbb`, 0 to 1. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
