/**
 * Which host names may be added as short domains: names that can be registered, in the form in which
 * they appear in a request's URL (lower case, punycode). Pure.
 */
import { fail, ok, type Result } from "@hopline/core/decode/result";
// @ts-expect-error -- The package has no types.
import punycode from "punycode.js";
import { parse } from "tldts";
import { PROOF_LABEL } from "./proof.ts";
import { VOUCHABLE, type VouchedSuffixes } from "./vouched-suffixes.ts";

export type HostName = { readonly host: string; readonly isVouched: boolean };

/** The host as it is stored, or what is wrong with it. A vouched one need not be registrable, and may have a port. */
export function readHostName(text: string, vouched: VouchedSuffixes): Result<HostName, string> {
  const url = /[\s/?#@\\%]/.test(text) ? null : URL.parse(`https://${text}`);
  if (url === null) {
    return fail("is not a host name: leave out scheme and path, as in go.example.com");
  }
  if (VOUCHABLE.test(url.host) && vouched.some((suffix) => isBelow(url, suffix))) {
    return ok({ host: url.host, isVouched: true });
  }
  const fault = /:\d*$/.test(text)
    ? "has a port: leave it out"
    : (faultOfForm(url.hostname) ?? faultOfScripts(url.hostname) ?? faultOfSuffix(url.hostname));
  return fault === null ? ok({ host: url.hostname, isVouched: false }) : fail(fault);
}

function isBelow({ host, hostname }: URL, suffix: string): boolean {
  return host === suffix || hostname === suffix || hostname.endsWith(`.${suffix}`);
}

/** DNS allows 253 characters; the name of the TXT record is longer than the host. */
const MAX_HOST_LENGTH = 253 - `${PROOF_LABEL}.`.length;
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

function faultOfForm(hostname: string): string | null {
  if (hostname.startsWith("[") || /^\d+\.\d+\.\d+\.\d+$/.test(hostname)) {
    return "is an IP address: give a host name";
  }
  if (hostname.includes("*")) {
    return "is a wildcard: add each host by its name";
  }
  if (hostname.endsWith(".")) {
    return "ends with a dot: leave it out";
  }
  if (hostname.length > MAX_HOST_LENGTH) {
    return `is too long: at most ${MAX_HOST_LENGTH} characters`;
  }
  if (!hostname.includes(".")) {
    return "has no dot: give the whole name, as in go.example.com";
  }
  return hostname.split(".").every((label) => LABEL.test(label))
    ? null
    : "is not a name in DNS: between its dots are 1 to 63 letters, digits and hyphens, with no hyphen at either end";
}

/** The scripts of Unicode's recommendation for identifiers (UAX 31, table 5), and those that are written together (UTS 39, 5.2). */
const SCRIPTS: readonly RegExp[] = [
  ..."Arab,Armn,Beng,Cyrl,Deva,Ethi,Geor,Grek,Gujr,Guru,Hebr,Khmr,Knda,Laoo,Latn,Mlym,Mymr,Orya,Sinh".split(
    ",",
  ),
  ..."Taml,Telu,Thaa,Thai,Tibt,Latn Hani Hira Kana,Latn Hani Bopo,Latn Hani Hang".split(","),
].map((names) => {
  const scripts = names.split(" ").map((name) => `\\p{Script_Extensions=${name}}`);
  return new RegExp(`^[0-9\\-\\p{Extended_Pictographic}${scripts.join("")}]+$`, "u");
});
/** From punycode to the letters that a person reads. */
const toUnicode: (hostname: string) => string = punycode.toUnicode;

/** Cyrillic letters that look like Latin ones: a name of nothing else reads as another name. */
const LATIN_LOOK_ALIKES = /^[0-9\-асԁеһіјӏорԛѕԝхуъьҽпгѵѡ]*$/;

function faultOfScripts(hostname: string): string | null {
  for (const label of toUnicode(hostname).split(".")) {
    if (!SCRIPTS.some((script) => script.test(label))) {
      return `has "${label}", which mixes scripts and could be mistaken for another name`;
    }
    if (/\p{Script=Cyrl}/u.test(label) && LATIN_LOOK_ALIKES.test(label)) {
      return `has "${label}", whose letters look like Latin ones: it could be mistaken for another name`;
    }
  }
  return null;
}

function faultOfSuffix(hostname: string): string | null {
  const { domain, publicSuffix, isIcann, isPrivate } = parse(hostname, { allowPrivateDomains: true });
  if (isIcann !== true && isPrivate !== true) {
    return `ends in "${publicSuffix ?? hostname}", under which no name can be registered: use a host of a domain that you own`;
  }
  return domain === null
    ? "is a public suffix, under which many people have names: add a host below it"
    : null;
}
