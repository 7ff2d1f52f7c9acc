/** How somebody designed a link's code, kept in this browser; a link without one begins as the last one in its workspace. */
import { PLAIN_QR, type QrDesign } from "./qr-address.ts";

type Kept = { readonly workspaceId: string; readonly id: string };

export function readDesign(link: Kept): QrDesign {
  try {
    const [own, last] = namesOf(link).map((name) => localStorage.getItem(name));
    const kept: unknown = JSON.parse(own ?? last ?? "{}");
    const isDesign =
      typeof kept === "object" &&
      kept !== null &&
      Object.entries(kept).every(([name, value]) => isLike(PLAIN_QR[name as keyof QrDesign], value));
    return isDesign ? { ...PLAIN_QR, ...kept } : PLAIN_QR;
  } catch {
    return PLAIN_QR;
  }
}

export function keepDesign(link: Kept, design: QrDesign): void {
  try {
    namesOf(link).forEach((name) => localStorage.setItem(name, JSON.stringify(design)));
  } catch {
    // Without storage it lasts as long as the page.
  }
}

function namesOf({ workspaceId, id }: Kept): readonly [own: string, last: string] {
  return [`hopline.qr ${workspaceId} ${id}`, `hopline.qr ${workspaceId}`];
}

/** A transparent background is `null`. */
function isLike(plain: unknown, value: unknown): boolean {
  return typeof value === typeof plain || (typeof plain === "string" && value === null);
}
