/** Where links may lead. The statements that read short domains check for loops (`isLoop`). */
import { parseAppSchemes } from "@hopline/core/link/app-schemes";
import { checkDestinationUrl } from "@hopline/core/link/destination-url";
import type { AppSchemes } from "./api-deps.ts";
import { invalidField } from "./http/problem.ts";

declare const checkedUrlBrand: unique symbol;

/** A destination that was checked, in the form in which it is published. Only `checkDestination` makes one. */
export type CheckedUrl = string & { readonly [checkedUrlBrand]: true };

export type CheckedDestination<Url = CheckedUrl> =
  | { readonly isAllowed: true; readonly url: Url }
  | { readonly isAllowed: false; readonly message: string };

/** Throws for a variable that makes no sense, so that a deployment fails at its start and not with single links. */
export function readAppSchemes({ APP_SCHEMES: text }: { readonly APP_SCHEMES: string }): AppSchemes {
  const schemes = parseAppSchemes(text);
  if (!schemes.ok) {
    throw new Error(`APP_SCHEMES: ${schemes.error.join("; ")}.`);
  }
  return schemes.value;
}

const NO_HOSTS: ReadonlySet<string> = new Set();

/** The destination as it is published, or what is wrong with it. With `any` scheme it must not be published yet. */
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
    throw invalidField(path, checked.message);
  }
  return checked.url;
}

/** Host and port of a checked destination, as domains are stored: `go.example.com.` is the same host as without the dot. */
export function hostOfDestination(url: CheckedUrl): string {
  return withoutFinalDot(URL.parse(url)?.host ?? "");
}

/** With a port or without one. */
export function withoutFinalDot(host: string): string {
  return host.replace(/\.(?=:\d+$|$)/, "");
}

export const LOOP_MESSAGE = "leads to a short domain and could lead back here: choose another destination";
