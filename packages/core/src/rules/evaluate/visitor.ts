/**
 * What the evaluator may ask about a visitor. Whatever costs something to derive is a function, evaluated at most once
 * and only when a rule asks: a link without a device rule never has the user agent inspected, a link without rules
 * has nothing inspected. Knows no request and no platform; the shell says how a header is read.
 */
import { readQuery, type QueryParameter } from "../../link/raw-query.ts";
import type { BrowserName, DeviceClass, OsName } from "../device-names.ts";
import { preferredLanguage } from "./language.ts";
import type { LocalTime } from "./local-time.ts";
import { referrerHostOf } from "./referrer.ts";

/** `null` always means "not known"; a condition on an unknown fact is not met. */
export type Place = {
  /** ISO 3166-1 alpha-2, upper case. */
  readonly country: string | null;
  readonly continent: string | null;
  /** ISO 3166-2 subdivision without its country: `CA`. */
  readonly regionCode: string | null;
  readonly city: string | null;
};

export type Device = {
  readonly device: DeviceClass | null;
  readonly os: OsName | null;
  readonly browser: BrowserName | null;
  readonly isBot: boolean;
};

/** Where a visitor's facts come from: a request at the edge, a hypothetical visitor in the API. */
export type VisitorSource = {
  /** Epoch milliseconds at which the visit is judged. */
  readonly nowMs: number;
  readonly place: () => Place;
  readonly header: (name: "user-agent" | "accept-language" | "referer") => string | null;
  readonly query: string;
  /** Identifies the visitor for a split, e.g. truncated address and user agent. Only ever hashed. */
  readonly stickyKey: () => string;
  /** Classifies a user agent; "" where the visitor sent none. */
  readonly readDevice: (userAgent: string) => Device;
  readonly localTime: LocalTime;
};

export type Visitor = {
  readonly nowMs: number;
  readonly place: () => Place;
  /** The most preferred language, lower case. */
  readonly language: () => string | null;
  readonly referrerHost: () => string | null;
  readonly query: () => readonly QueryParameter[];
  readonly device: () => Device;
  readonly stickyKey: () => string;
  readonly localTime: LocalTime;
};

export function createVisitor(source: VisitorSource): Visitor {
  return {
    nowMs: source.nowMs,
    place: once(source.place),
    language: once(() => preferredLanguage(source.header("accept-language"))),
    referrerHost: once(() => referrerHostOf(source.header("referer"))),
    query: once(() => readQuery(source.query)),
    device: once(() => source.readDevice(source.header("user-agent") ?? "")),
    stickyKey: source.stickyKey,
    localTime: source.localTime,
  };
}

function once<Value>(derive: () => Value): () => Value {
  let known: { readonly value: Value } | undefined;
  return () => {
    known ??= { value: derive() };
    return known.value;
  };
}
