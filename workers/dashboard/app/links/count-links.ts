/** `1 link`, `2,000 links`. */
import { formatNumber } from "../format.ts";

export function countLinks(links: number): string {
  return `${formatNumber(links)} ${links === 1 ? "link" : "links"}`;
}
