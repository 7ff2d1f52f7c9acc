/**
 * What a smart link's redirect adds to its click: rule, variant, destination, UTM parameters. Texts are cut short, for a
 * hundred clicks share a segment of 60 KB; for a plain link nothing is made.
 */
import type { ClickDetail } from "./click.ts";
import type { Redirect } from "../link/outcome.ts";
import { readQuery } from "../link/raw-query.ts";

/** In UTF-16 units. */
export const MAX_CLICK_DESTINATION_LENGTH = 512;
const MAX_CLICK_UTM_LENGTH = 100;

export type Departure = {
  readonly outcome: Redirect;
  readonly location: string;
  readonly ownUrl: string;
  readonly query: string;
};

/** `null`: nothing to add. The UTM parameters of the final URL count before those that only the visitor brought. */
export function clickDetail({ outcome, location, ownUrl, query }: Departure): ClickDetail | null {
  const { ruleId, variantId, template: url = outcome.url } = outcome;
  const hasUtm = location.includes("utm_") || query.includes("utm_");
  if (ruleId === null && variantId === null && url === ownUrl && !hasUtm) {
    return null;
  }
  const utm = hasUtm ? readUtm(location, query) : undefined;
  return {
    ruleId: ruleId ?? undefined,
    variantId: variantId ?? undefined,
    // Without what the visitor added to it: a destination is to be counted by, and may not carry their data.
    destination: url === ownUrl ? undefined : cut(url, MAX_CLICK_DESTINATION_LENGTH),
    utmSource: utm?.("utm_source"),
    utmMedium: utm?.("utm_medium"),
    utmCampaign: utm?.("utm_campaign"),
    utmTerm: utm?.("utm_term"),
    utmContent: utm?.("utm_content"),
  };
}

function readUtm(location: string, query: string): (name: string) => string | undefined {
  const [beforeHash = ""] = location.split("#", 1);
  const mark = beforeHash.indexOf("?");
  const own = mark === -1 ? "" : beforeHash.slice(mark + 1);
  const parameters = [...readQuery(own), ...readQuery(query)];
  return (name) => {
    const value = parameters.find((parameter) => parameter.name === name && parameter.value !== "")?.value;
    return value === undefined ? undefined : cut(value, MAX_CLICK_UTM_LENGTH);
  };
}

function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : text.slice(0, maxLength).toWellFormed();
}
