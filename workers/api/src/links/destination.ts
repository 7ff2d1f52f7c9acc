/** Where links may lead. The short domains themselves are checked by the statements that know them (`isLoop`). */
import { checkDestinationUrl } from "@hopline/core/link/destination-url";
import { type FieldError, ProblemError } from "../http/problem.ts";

declare const checkedUrlBrand: unique symbol;

/** A destination that was checked, in the form in which it is published. Only `checkDestination` makes one. */
export type CheckedUrl = string & { readonly [checkedUrlBrand]: true };

export type CheckedDestination<Url = CheckedUrl> =
  | { readonly isAllowed: true; readonly url: Url }
  | { readonly isAllowed: false; readonly message: string };

/** What this deployment lets links open besides http and https: APP_SCHEMES. Lower case, without colon. */
export type AppSchemes = ReadonlySet<string>;

const NO_HOSTS: ReadonlySet<string> = new Set();

/** The destination as it is published, or what is wrong with it. With `any` scheme it is not to be published yet. */
export function checkDestination(text: string, appSchemes: AppSchemes): CheckedDestination;
export function checkDestination(text: string, appSchemes: "any"): CheckedDestination<string>;
export function checkDestination(text: string, appSchemes: AppSchemes | "any"): CheckedDestination {
  const checked = checkDestinationUrl(text, { ownHosts: NO_HOSTS, appSchemes });
  return checked.ok
    ? { isAllowed: true, url: checked.value as CheckedUrl }
    : { isAllowed: false, message: checked.error.message };
}

/** The same for the field at `path` of a request; throws `ProblemError` with what is wrong with it. */
export function requireDestination(text: string, path: string, appSchemes: AppSchemes): CheckedUrl {
  const checked = checkDestination(text, appSchemes);
  if (!checked.isAllowed) {
    throw new ProblemError("invalid", [{ path, message: checked.message }]);
  }
  return checked.url;
}

/** Host and port of a checked destination, as domains are stored. */
export function hostOfDestination(url: CheckedUrl): string {
  return URL.parse(url)?.host ?? "";
}

export const LOOP_ERROR: FieldError = {
  path: "url",
  message: "leads to a short domain, and could lead back here",
};
