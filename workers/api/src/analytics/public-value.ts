import type { Dimension } from "@hopline/analytics/dimension";
import { toPublicId } from "../http/entity-id.ts";

/** A value of a dimension as filters take it: ids of links, hosts of domains. A domain without a known host has its id. */
export function toPublicValue(dimension: Dimension, value: string | null, host: string | null = null) {
  if (value !== null && dimension === "link") {
    return toPublicId("lnk", value);
  }
  return value !== null && dimension === "domain" ? (host ?? toPublicId("dom", value)) : value;
}
