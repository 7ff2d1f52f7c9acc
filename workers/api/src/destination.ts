/** Where links may lead. The short domains themselves are checked by the statements that know them (`isLoop`). */
import { checkDestinationUrl } from "@hopline/core/destination/destination-url";
import type { FieldError } from "./problem.ts";

/** App schemes are a deployment's choice; none is taken until it makes one. */
const POLICY = { ownHosts: new Set<string>(), appSchemes: new Set<string>() };

export type CheckedDestination =
  | { readonly isAllowed: true; readonly url: string }
  | { readonly isAllowed: false; readonly message: string };

/** The destination as it is published, or what is wrong with it. */
export function checkDestination(text: string): CheckedDestination {
  const checked = checkDestinationUrl(text, POLICY);
  return checked.ok
    ? { isAllowed: true, url: checked.value }
    : { isAllowed: false, message: checked.error.message };
}

/** Host and port of a checked destination, as domains are stored. */
export function hostOfDestination(url: string): string {
  return URL.parse(url)?.host ?? "";
}

export const LOOP_ERROR: FieldError = {
  path: "url",
  message: "leads to a short domain, and could lead back here",
};
