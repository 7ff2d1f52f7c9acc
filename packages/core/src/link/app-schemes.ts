/**
 * Which schemes besides http and https a destination may have: those that a deployment lists, and never one that runs,
 * reads or picks something in the visitor's browser or system. Pure; where the list comes from is not known here.
 */
import { fail, ok, type Result } from "../decode/result.ts";

/** Schemes of RFC 3986, 3.1, of a length that a person would write. */
const SCHEME = /^[a-z][a-z0-9+.-]{0,63}$/;

/**
 * No list can allow these. Most run a script or read local data where the browser follows them at all. `intent` names
 * any app and carries a fallback URL of its own, so it would pass by every check of a destination; `ms-msdt` and
 * `search-ms` are ways into Windows that have been used for attacks.
 */
const NEVER_ALLOWED: ReadonlySet<string> = new Set(
  (
    "javascript data vbscript blob file filesystem about view-source ws wss " +
    "intent jar mhtml resource chrome chrome-extension moz-extension ms-msdt search-ms"
  ).split(" "),
);

/** Whether no deployment may allow this scheme. Lower case, without colon. */
export function isNeverAllowed(scheme: string): boolean {
  return NEVER_ALLOWED.has(scheme);
}

/**
 * Reads a list of schemes separated by commas, in any case: `myapp, spotify`. Empty: none. Otherwise everything that is
 * wrong with it, a sentence for each scheme.
 */
export function parseAppSchemes(text: string): Result<ReadonlySet<string>, readonly string[]> {
  const names = text
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "");
  const faults = names.flatMap((name) => faultOf(name) ?? []);
  return faults.length === 0 ? ok(new Set(names)) : fail(faults);
}

function faultOf(name: string): string | null {
  if (!SCHEME.test(name)) {
    return `${JSON.stringify(name)} is not a scheme: letters, digits, +, - and . only, without "://"`;
  }
  if (name === "http" || name === "https") {
    return `"${name}" is allowed anyway, and listing it would allow nothing more`;
  }
  return isNeverAllowed(name) ? `"${name}" can never be allowed: it is no app of yours that it opens` : null;
}
