/**
 * Which URLs messages may go to: public hosts by name, over https. The maker of an endpoint chooses where this deployment sends
 * requests, so nothing that is near it may be named. Pure.
 */

export type UrlRules = {
  /** The local stack: receivers are on the same machine, without a certificate. */
  readonly isLocal: boolean;
};

export const MAX_URL_LENGTH = 2_000;
export const LEADS_BACK = "leads back to this deployment: choose a host of your own";

export type CheckedEndpointUrl =
  | { readonly isAllowed: true; readonly url: string }
  /** For people; to be read after the field's name. */
  | { readonly isAllowed: false; readonly message: string };

/**
 * Resolves to the URL as it is stored: without the dot that may end a host.
 *
 * @param ownHosts lower case, with a port where they have one. On Cloudflare a host is the same deployment on every port.
 */
export function checkEndpointUrl(
  text: string,
  { isLocal }: UrlRules,
  ownHosts: readonly string[],
): CheckedEndpointUrl {
  const url = URL.parse(text);
  if (url === null || !(url.protocol === "https:" || url.protocol === "http:")) {
    return refuse("is not an absolute URL: start with https://");
  }
  if (url.username !== "" || url.password !== "") {
    return refuse("has a user or a password: verify the signature instead");
  }
  if (url.hash !== "") {
    return refuse("has a fragment, which is never sent: remove it");
  }
  url.hostname = url.hostname.replace(/\.+$/, "");
  if (ownHosts.some((own) => (isLocal ? own === url.host : withoutPort(own) === url.hostname))) {
    return refuse(LEADS_BACK);
  }
  if (!isLocal && url.protocol !== "https:") {
    return refuse("is not encrypted: use https://");
  }
  if (!isLocal && !isPublicName(url.hostname)) {
    return refuse("does not name a public host: use a name such as hooks.example.com, not an address");
  }
  return url.href.length > MAX_URL_LENGTH
    ? refuse(`is too long: use at most ${MAX_URL_LENGTH} characters`)
    : { isAllowed: true, url: url.href };
}

/** The URL parser has turned every way to write an IPv4 address into four numbers. */
const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;
/** Names that no public DNS has (RFC 6761, RFC 6762, RFC 8375, RFC 9476, ICANN's `internal`). */
const PRIVATE_SUFFIXES = [
  "localhost",
  "local",
  "internal",
  "intranet",
  "lan",
  "home.arpa",
  "test",
  "invalid",
  "onion",
  "alt",
];

function withoutPort(host: string): string {
  return host.replace(/:\d+$/, "");
}

/** @param name as the URL parser writes it, without a dot at its end. */
function isPublicName(name: string): boolean {
  const labels = name.split(".");
  return (
    labels.length > 1 &&
    !labels.includes("") &&
    !IPV4.test(name) &&
    !name.startsWith("[") &&
    !PRIVATE_SUFFIXES.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))
  );
}

function refuse(message: string): CheckedEndpointUrl {
  return { isAllowed: false, message };
}

/** Workers on Cloudflare can't reach a loopback address, so a deployment that has its database there is a local one. */
export function isLocalStack(sqlEndpoint: string): boolean {
  const hostname = URL.parse(sqlEndpoint)?.hostname ?? "";
  return hostname === "localhost" || hostname === "127.0.0.1";
}
