/** The part of the evaluation that needs no visitor. Apart from evaluate.ts, which a plain link never needs. */
import type { SmartLink } from "../rule.ts";

/**
 * The destination of a link that is the same for everybody, or `null` when it takes a visitor to say: the redirect
 * need not even make one for a plain link.
 */
export function plainUrl(link: SmartLink, nowMs: number): string | null {
  if (link.rules !== undefined && link.rules.length > 0) {
    return null;
  }
  if (link.next !== undefined && nowMs >= link.next.activateAtMs) {
    return link.next.url;
  }
  return link.split === undefined ? link.url : null;
}
