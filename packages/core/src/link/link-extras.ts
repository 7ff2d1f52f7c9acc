/**
 * What makes a published link more than a plain one: rules, schedule, limits, query, Open Graph. Part of format 1
 * (link-record.ts).
 */
import { integer, objectOf, oneOf, positive, type Shape, shapeOf, text } from "../decode/shape.ts";
import { NEXT, RULES, SPLIT, withAllConditions } from "../rules/decode-rules.ts";
import type { SmartLink } from "../rules/rule.ts";
import type { ForwardMode } from "./query-forwarding.ts";

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
  /** A destination has placeholders (placeholders.ts). */
  readonly isFilled?: true | undefined;
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
  readonly image?: string | undefined;
};

/** The same as they are published; a limit that can't be read fails the record, for one that is passed over is none. */
export type WireExtras = Pick<LinkExtras, "rules" | "split" | "next" | "password" | "forward"> & {
  readonly from?: number;
  readonly until?: number;
  readonly ended?: string;
  readonly cap?: { readonly mode: ClickCap["mode"]; readonly used?: true };
  readonly utm?: string;
  readonly og?: OpenGraph;
  readonly fill?: true;
};

const base64Url = shapeOf((value) => typeof value === "string" && /^[\w-]+$/.test(value));

export const EXTRA_FIELDS: { readonly [field in keyof WireExtras]-?: Shape } = {
  rules: RULES,
  split: SPLIT,
  next: NEXT,
  from: integer,
  until: integer,
  ended: text,
  password: objectOf({ iterations: positive, salt: base64Url, hash: base64Url }),
  cap: objectOf({ mode: oneOf(...CAP_MODES) }, { used: oneOf(true) }),
  forward: oneOf("visitor-wins", "link-wins"),
  utm: text,
  og: objectOf({}, { title: text, description: text, image: text }),
  fill: oneOf(true),
};

/** With all fields, set or undefined. */
export function toLinkExtras(wire: WireExtras): LinkExtras {
  return {
    rules: wire.rules?.map(withAllConditions),
    split: wire.split,
    next: wire.next,
    startsAtMs: wire.from,
    expiresAtMs: wire.until,
    endedUrl: wire.ended,
    password: wire.password,
    cap: wire.cap && { mode: wire.cap.mode, isUsedUp: wire.cap.used === true },
    forward: wire.forward,
    utmQuery: wire.utm,
    openGraph: wire.og,
    isFilled: wire.fill,
  };
}
