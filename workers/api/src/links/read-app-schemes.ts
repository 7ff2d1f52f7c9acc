/** Which apps links may open, from the Worker's variables. */
import { parseAppSchemes } from "@hopline/core/link/app-schemes";
import type { AppSchemes } from "./destination.ts";

/** Throws where the variable makes no sense: links that can't be made should not be found out one by one. */
export function readAppSchemes({ APP_SCHEMES: text }: { readonly APP_SCHEMES: string }): AppSchemes {
  const schemes = parseAppSchemes(text);
  if (!schemes.ok) {
    throw new Error(`APP_SCHEMES: ${schemes.error.join("; ")}.`);
  }
  return schemes.value;
}
