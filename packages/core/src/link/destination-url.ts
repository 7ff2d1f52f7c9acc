/**
 * The write-time check of a destination. Everything that may ever stand in a Location header went through here; the
 * redirect itself checks nothing.
 */
import { fail, ok, type Result } from "../decode/result.ts";
import { isNeverAllowed } from "./app-schemes.ts";
import {
  hasPlaceholder,
  hasTooManyPlaceholders,
  MAX_PLACEHOLDERS,
  restorePlaceholders,
} from "./placeholders.ts";
import { isPrivateHost } from "./private-host.ts";

/** Counted on the URL as it is published; browsers and proxies start to refuse beyond it. */
export const MAX_DESTINATION_LENGTH = 8_192;

export type DestinationPolicy = {
  /** Our own short domains, lower case, without port: a link to one could lead back to itself. */
  readonly ownHosts: ReadonlySet<string>;
  /** From `parseAppSchemes`: what links may open besides http and https. `any`: whatever a deployment could allow. */
  readonly appSchemes: ReadonlySet<string> | "any";
};

export type DestinationFault = {
  readonly reason:
    | "malformed"
    | "too-long"
    | "scheme-not-allowed"
    | "has-credentials"
    | "own-domain"
    | "placeholder-misplaced"
    | "too-many-placeholders"
    | "private-address";
  /** For people: what is wrong, without a field path. */
  readonly message: string;
};

/**
 * Checks a destination and returns it as it will be published: as written where a browser reads that as it stands, else
 * in the normal form of the URL standard (spaces and non-ASCII text encoded, missing slashes added).
 */
export function checkDestinationUrl(
  text: string,
  policy: DestinationPolicy,
): Result<string, DestinationFault> {
  const trimmed = text.trim();
  if (trimmed.length > MAX_DESTINATION_LENGTH) {
    return refuse("too-long", `is longer than ${MAX_DESTINATION_LENGTH} characters`);
  }
  if (!URL.canParse(trimmed)) {
    const what = trimmed === "" ? "is missing" : "is not an absolute URL";
    return refuse("malformed", `${what}: start with https://`);
  }
  const url = new URL(trimmed);
  const scheme = url.protocol.slice(0, -1);
  const isWeb = scheme === "http" || scheme === "https";
  const schemeFault = isWeb ? null : checkScheme(scheme, policy);
  if (schemeFault !== null) {
    return fail(schemeFault);
  }
  if (url.username !== "" || url.password !== "") {
    return refuse("has-credentials", "must not contain a user name or password");
  }
  const isTemplate = hasPlaceholder(trimmed);
  // A brace in a host is a placeholder there, or nothing that could be found.
  if (isWeb ? /[{}]/.test(url.host) : isTemplate) {
    return refuse("placeholder-misplaced", MISPLACED);
  }
  const hostFault = isWeb ? checkHost(url.hostname, policy) : null;
  if (hostFault !== null) {
    return fail(hostFault);
  }
  const normal = isTemplate ? restorePlaceholders(url.href) : url.href;
  const published = isReadAsWritten(trimmed) ? trimmed : normal;
  if (hasTooManyPlaceholders(published)) {
    return refuse("too-many-placeholders", `has more than ${MAX_PLACEHOLDERS} placeholders`);
  }
  return published.length > MAX_DESTINATION_LENGTH
    ? refuse("too-long", `is longer than ${MAX_DESTINATION_LENGTH} characters once it is encoded`)
    : ok(published);
}

const MISPLACED =
  "has a placeholder where a visitor would choose scheme or host: put it behind the host of an http or https URL";

function checkScheme(scheme: string, { appSchemes }: DestinationPolicy): DestinationFault | null {
  const reason = "scheme-not-allowed";
  if (isNeverAllowed(scheme)) {
    return { reason, message: `has the scheme "${scheme}", which is never allowed` };
  }
  if (appSchemes === "any" || appSchemes.has(scheme)) {
    return null;
  }
  const allowed = ["http", "https", ...appSchemes].join(", ");
  return { reason, message: `has the scheme "${scheme}"; allowed are ${allowed}` };
}

function checkHost(hostname: string, policy: DestinationPolicy): DestinationFault | null {
  const host = hostname.replace(/\.$/, "");
  if (policy.ownHosts.has(host)) {
    return { reason: "own-domain", message: `leads back to the short domain "${host}"` };
  }
  if (isPrivateHost(hostname)) {
    return { reason: "private-address", message: `leads to "${host}", which is not on the public internet` };
  }
  return null;
}

/**
 * True for printable ASCII without backslash, quotes and angle brackets that says `scheme://host` in full. `https:example.com` parses alone but is a
 * relative path in a Location header, and a header holds no other characters.
 */
function isReadAsWritten(text: string): boolean {
  return /^[!#-;=?-[\]-_a-~]+$/.test(text) && (/^https?:\/\/[^/?#]/i.test(text) || !/^https?:/i.test(text));
}

function refuse(reason: DestinationFault["reason"], message: string): Result<never, DestinationFault> {
  return fail({ reason, message });
}
