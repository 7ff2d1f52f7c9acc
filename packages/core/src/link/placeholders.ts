/**
 * Placeholders in destinations, and what a visit puts in their place. A visitor's text never gets in front of the path: where a
 * placeholder may stand is checked when the link is written, what stands there is encoded here, and the origin is compared at the end.
 *
 * `{path}`: what followed the slug; so does a `*` at the end of the path. `{1}` to `{9}`: its parts. `{query.name}`: a parameter of
 * the visitor's query. `{country}`, `{language}`, `{device}`: as rules know them. What is not known is empty.
 */
import type { Visitor } from "../rules/evaluate/visitor.ts";
import { percentDecode } from "./link-address.ts";

const NAMES = String.raw`path|[1-9]|country|language|device|query\.[\w.~-]{1,64}`;
const PLACEHOLDER = new RegExp(`\\{(${NAMES})\\}`, "g");
const ENCODED_PLACEHOLDER = new RegExp(`%7B(${NAMES})%7D`, "g");
const HAS_PLACEHOLDER = new RegExp(`\\{(?:${NAMES})\\}|^[^?#]*/\\*(?:[?#]|$)`);

/** As long as a destination may be (destination-url.ts, which the redirect does not load). */
const MAX_FILLED_LENGTH = 8_192;

export type Filling = {
  /** What followed the slug, as it stood in the path. */
  readonly rest: string;
  readonly visitor: Visitor;
};

export function hasPlaceholder(url: string): boolean {
  return HAS_PLACEHOLDER.test(url);
}

/**
 * A visitor's path and query may have 16 KB, and each placeholder is filled before it is known that the whole is too long. With 900
 * of them, a visit took 282 ms and 105 MB of an isolate that serves other workspaces' visitors, too.
 */
export const MAX_PLACEHOLDERS = 20;

export function hasTooManyPlaceholders(url: string): boolean {
  return url.split(PLACEHOLDER).length > 2 * MAX_PLACEHOLDERS + 1;
}

/** A URL in its normal form with its placeholders as they were written. */
export function restorePlaceholders(href: string): string {
  return href.replaceAll(ENCODED_PLACEHOLDER, "{$1}");
}

/**
 * `null` where it would lead out of the path that was written, to another origin, or be too long. What is not of the web has no
 * placeholders, though another destination of its link has.
 */
export function fillPlaceholders(url: string, filling: Filling): string | null {
  const written = /^(https?:\/\/[^/?#]*)([^?#]*)(.*)$/i.exec(url);
  if (written === null) {
    return url;
  }
  const [, origin = "", path = "", rest = ""] = written;
  const filledPath = fillPath(path, filling);
  if (filledPath === null) {
    return null;
  }
  const filled = `${origin}${filledPath}${fillText(rest, filling)}`;
  return filled.length <= MAX_FILLED_LENGTH && isOfOrigin(filled, url) ? filled : null;
}

function isOfOrigin(filled: string, url: string): boolean {
  return URL.canParse(filled) && new URL(filled).origin === new URL(url).origin;
}

/** Part by part: one that became a step up or nowhere would change the path around it. */
function fillPath(path: string, filling: Filling): string | null {
  const parts = path.split("/");
  const filled = parts.map((part, index) => {
    const template = part === "*" && index > 0 && index === parts.length - 1 ? "{path}" : part;
    const text = template.replaceAll(PLACEHOLDER, (_, name: string) => toPathText(name, filling));
    return text !== part && text.split("/").some(hasStep) ? null : text;
  });
  return filled.includes(null) ? null : filled.join("/");
}

/**
 * `.` or `..`, as browsers read them, and as servers may that decode before they split, or cut off what follows a `;`. Whatever
 * else is escaped there: bytes that are no UTF-8 would hide a step from a decoder.
 */
function hasStep(part: string): boolean {
  const steps = part.replaceAll(/%2e/gi, ".").split(/[/\\;]|%2f|%5c/i);
  return steps.includes(".") || steps.includes("..");
}

function toPathText(name: string, filling: Filling): string {
  if (name === "path") {
    return partsOf(filling.rest).map(keepEncoded).join("/");
  }
  const part = toNumber(name);
  return part === null ? encode(toText(name, filling)) : keepEncoded(partsOf(filling.rest)[part - 1] ?? "");
}

/** Query and fragment. */
function fillText(text: string, filling: Filling): string {
  return text.replaceAll(PLACEHOLDER, (_, name: string) => encode(toText(name, filling)));
}

/** In clear text. */
function toText(name: string, { rest, visitor }: Filling): string {
  switch (name) {
    case "path":
      return partsOf(rest).map(decode).join("/");
    case "country":
      return visitor.place().country ?? "";
    case "language":
      return visitor.language()?.split("-", 1)[0] ?? "";
    case "device":
      return visitor.device().device ?? "";
    default: {
      const part = toNumber(name);
      return part === null
        ? (visitor.query().find((parameter) => `query.${parameter.name}` === name)?.value ?? "")
        : decode(partsOf(rest)[part - 1] ?? "");
    }
  }
}

function toNumber(name: string): number | null {
  return /^\d$/.test(name) ? Number(name) : null;
}

/** Without empty ones, as `//` may begin a host where it is joined; but a slash at the end stays. */
function partsOf(rest: string): readonly string[] {
  const parts = rest.split("/");
  return parts.filter((part, index) => part !== "" || (index > 0 && index === parts.length - 1));
}

function decode(part: string): string {
  return percentDecode(part) ?? part;
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Escapes stay what the visitor sent, so that nothing is encoded twice; what no path may hold as it is, is encoded. */
function keepEncoded(part: string): string {
  return part.replaceAll(/%(?![\da-f]{2})|[^\w.~!$&'()*+,;=:@%-]+/gi, encode);
}

/** What is wrong with a URL that visitors get as it is: where links end, what a domain shows, pictures. */
export function faultOfFixedUrl(url: string): string | null {
  return hasPlaceholder(url) ? UNFILLED : null;
}

const UNFILLED =
  "has a placeholder, which is filled only where links lead: write out what stands there, and a brace or asterisk as %7B, %7D or %2A";
