/**
 * Reads what makes a published link more than a plain one: rules, schedule, limits, query, Open Graph. Part of format 1
 * (link-record.ts); total, and strict: what cannot be read fails the record, for a limit that is passed over is none.
 */
import type { ForwardMode } from "./query-forwarding.ts";
import { fail, ok, type Result } from "../decode/result.ts";
import { type Faults, fieldsOf, nameIn, type Read, readInteger, readText } from "../decode/decode-parts.ts";
import { decodeNext, decodeRules, decodeSplit } from "../rules/decode-rules.ts";
import type { SmartLink } from "../rules/rule.ts";

/** What most links have none of. */
export type LinkExtras = Pick<SmartLink, "rules" | "split" | "next"> & {
  /** First instant at which the link answers, epoch milliseconds; absent means no bound. */
  readonly startsAtMs?: number | undefined;
  /** First instant at which it no longer does. */
  readonly expiresAtMs?: number | undefined;
  /** Where visitors of the ended link go; absent: a page says that it has ended. */
  readonly endedUrl?: string | undefined;
  readonly password?: PasswordHash | undefined;
  readonly cap?: ClickCap | undefined;
  /** Absent: the visitor's query stops here. */
  readonly forward?: Exclude<ForwardMode, "none"> | undefined;
  /** From `toUtmQuery`. Absent: none. */
  readonly utmQuery?: string | undefined;
  readonly openGraph?: OpenGraph | undefined;
};

/** PBKDF2 with SHA-256; `salt` (16 bytes) and `hash` (32 bytes) in base64url. */
export type PasswordHash = {
  readonly iterations: number;
  readonly salt: string;
  readonly hash: string;
};

/**
 * `strict`: each redirect asks the database first, and never more than the limit are given. `fast`: clicks are counted
 * as they are stored, and the link ends when the count has reached the limit. `isUsedUp` is published when it has.
 */
export const CAP_MODES = ["strict", "fast"] as const;
export type ClickCap = {
  readonly mode: (typeof CAP_MODES)[number];
  readonly isUsedUp: boolean;
};

/** What a link shows in social networks. At least one is there. */
export type OpenGraph = {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** Absolute URL. */
  readonly image?: string | undefined;
};

export const EXTRA_FIELDS = [
  "rules",
  "split",
  "next",
  "from",
  "until",
  "ended",
  "password",
  "cap",
  "forward",
  "utm",
  "og",
] as const;
type ExtraField = (typeof EXTRA_FIELDS)[number];

/** The extras with all their fields, set or undefined; or the field that cannot be read. Never throws. */
export function decodeLinkExtras(wire: { readonly [field: string]: unknown }): Result<LinkExtras, string> {
  const faults: Faults = [];
  function optional<Value>(field: ExtraField, read: Read<Value>): Value | undefined {
    return wire[field] === undefined ? undefined : read(wire[field], field, faults);
  }
  const extras: LinkExtras = {
    rules: optional("rules", viaResult(decodeRules)),
    split: optional("split", viaResult(decodeSplit)),
    next: optional("next", viaResult(decodeNext)),
    startsAtMs: optional("from", readInteger),
    expiresAtMs: optional("until", readInteger),
    endedUrl: optional("ended", readText),
    password: optional("password", readPassword),
    cap: optional("cap", readCap),
    forward: optional("forward", readForward),
    utmQuery: optional("utm", readText),
    openGraph: optional("og", readOpenGraph),
  };
  const [fault] = faults;
  return fault === undefined ? ok(extras) : fail(fault);
}

function viaResult<Value>(
  decode: (value: unknown) => Result<Value, { readonly field: string }>,
): Read<Value | undefined> {
  return (value, _path, faults) => {
    const decoded = decode(value);
    if (decoded.ok) {
      return decoded.value;
    }
    faults.push(decoded.error.field);
    return undefined;
  };
}

const readForward = nameIn(["visitor-wins", "link-wins"] as const);
const readMode = nameIn(CAP_MODES);
const readPasswordFields = fieldsOf(new Set(["iterations", "salt", "hash"]));
const readCapFields = fieldsOf(new Set(["mode", "used"]));
const readOpenGraphFields = fieldsOf(new Set(["title", "description", "image"]));

function readPassword(value: unknown, path: string, faults: Faults): PasswordHash {
  const { iterations, salt, hash } = readPasswordFields(value, path, faults);
  const password = {
    iterations: readInteger(iterations, `${path}.iterations`, faults),
    salt: readBase64Url(salt, `${path}.salt`, faults),
    hash: readBase64Url(hash, `${path}.hash`, faults),
  };
  if (password.iterations < 1) {
    faults.push(`${path}.iterations`);
  }
  return password;
}

function readBase64Url(value: unknown, path: string, faults: Faults): string {
  const text = readText(value, path, faults);
  if (!/^[\w-]+$/.test(text)) {
    faults.push(path);
  }
  return text;
}

function readCap(value: unknown, path: string, faults: Faults): ClickCap {
  const { mode, used } = readCapFields(value, path, faults);
  if (used !== undefined && used !== true) {
    faults.push(`${path}.used`);
  }
  return { mode: readMode(mode, `${path}.mode`, faults), isUsedUp: used === true };
}

function readOpenGraph(value: unknown, path: string, faults: Faults): OpenGraph {
  const fields = readOpenGraphFields(value, path, faults);
  const text = (field: string): string | undefined =>
    fields[field] === undefined ? undefined : readText(fields[field], `${path}.${field}`, faults);
  return { title: text("title"), description: text("description"), image: text("image") };
}
