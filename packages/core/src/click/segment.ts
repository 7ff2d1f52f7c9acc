/**
 * A segment: the clicks of one flush of one isolate's buffer, and one queue message. Format 1, JSON, golden file:
 * test/golden/segment.v1.json. Consecutive sequence numbers: click `i` of a segment is number `firstSequence + i`.
 * A report of what the isolate answered (edge-report.ts) may travel along, or alone: then there are no clicks.
 * Field names are short because a click travels a billion times a day; absent fields are `null` on arrival.
 *
 * 64 KB is one billing unit of Cloudflare Queues (queues_pricing), 128 KB the size limit of a message.
 */
import { CLICK_METHODS, CLICK_SOURCES, type Click } from "./click.ts";
import { decodeReport, type EdgeReport, toWireReport } from "./edge-report.ts";
import { isIsolateId } from "./event-id.ts";
import { parseJson } from "../decode/parse-json.ts";
import { fail, ok, type Result } from "../decode/result.ts";

export const SEGMENT_FORMAT = 1;

/** The most clicks in one segment, so that a database batch has a bound. */
export const MAX_SEGMENT_CLICKS = 100;

export type Segment = {
  readonly isolateId: string;
  /** Number of the first click in its isolate, from 1. */
  readonly firstSequence: number;
  /** Empty only where a report travels alone; then `firstSequence` is that of the clicks to come: all before exist. */
  readonly clicks: readonly Click[];
  readonly report?: EdgeReport | undefined;
};

/** Why a message body is not a segment. `field` names the place, `clicks[3].t` for example; never its value. */
export type SegmentFault = { readonly reason: "segment_malformed"; readonly field: string };

/** A segment whose clicks are written already: each once, by `encodeClick`. */
export type EncodedSegment = Omit<Segment, "clicks"> & { readonly clicks: readonly string[] };

/**
 * The most bytes of clicks in a segment that the edge makes: below the 64 KB (of 1,000 bytes) that Cloudflare Queues
 * bills as one operation, with room for its metadata of about 100 bytes and for a report (edge-report.ts).
 */
export const MAX_SEGMENT_BYTES = 60_000;

export function encodeSegment(segment: Segment): string {
  return joinSegment({ ...segment, clicks: segment.clicks.map(encodeClick) });
}

export function joinSegment({ isolateId, firstSequence, clicks, report }: EncodedSegment): string {
  const head = `{"format":${SEGMENT_FORMAT},"isolate":"${isolateId}","first":${firstSequence}`;
  const tail = report === undefined ? "" : `,"r":${JSON.stringify(toWireReport(report))}`;
  return `${head},"clicks":[${clicks.join(",")}]${tail}}`;
}

export function encodeClick(click: Click): string {
  return JSON.stringify(toWireClick(click));
}

/** Reads a segment from the body of a queue message, whatever it holds. Never throws. */
export function decodeSegment(body: unknown): Result<Segment, SegmentFault> {
  const wire = toFields(typeof body === "string" ? parseJson(body) : body);
  if (wire === null) {
    return malformed("(whole)");
  }
  if (wire["format"] !== SEGMENT_FORMAT) {
    return malformed("format");
  }
  const { isolate, first, clicks } = wire;
  if (typeof isolate !== "string" || !isIsolateId(isolate)) {
    return malformed("isolate");
  }
  if (typeof first !== "number" || !Number.isSafeInteger(first) || first < 1) {
    return malformed("first");
  }
  const report = decodeReport(wire["r"]);
  const isEmpty = Array.isArray(clicks) && clicks.length === 0 && report === undefined;
  if (!Array.isArray(clicks) || clicks.length > MAX_SEGMENT_CLICKS || isEmpty) {
    return malformed("clicks");
  }
  const decoded: Click[] = [];
  for (const [index, item] of clicks.entries()) {
    const click = decodeClick(item);
    if (!click.ok) {
      return malformed(`clicks[${index}].${click.error}`);
    }
    decoded.push(click.value);
  }
  const segment = { isolateId: isolate, firstSequence: first, clicks: decoded };
  return ok(report === undefined ? segment : { ...segment, report });
}

function toWireClick(click: Click): object {
  return {
    t: click.clickedAtMs,
    l: click.linkId,
    v: click.linkVersion,
    al: click.alias,
    s: click.source === "link" ? undefined : click.source,
    m: click.method === "GET" ? undefined : click.method,
    a: click.address ?? undefined,
    u: click.userAgent ?? undefined,
    f: click.referrer ?? undefined,
    g: click.acceptLanguage ?? undefined,
    p: click.purpose ?? undefined,
    o: click.optedOut ? 1 : undefined,
    co: click.country ?? undefined,
    re: click.region ?? undefined,
    ci: click.city ?? undefined,
    cn: click.continent ?? undefined,
    dc: click.colo ?? undefined,
    b: click.botScore ?? undefined,
    ri: click.ruleId,
    va: click.variantId,
    d: click.destination,
    us: click.utmSource,
    um: click.utmMedium,
    uc: click.utmCampaign,
    ut: click.utmTerm,
    un: click.utmContent,
  };
}

/** The largest instant a JavaScript Date, and so our timestamps, can name (ECMA-262, time values). */
const MAX_INSTANT_MS = 8.64e15;

function decodeClick(item: unknown): Result<Click, string> {
  const wire = toFields(item);
  if (wire === null) {
    return fail("(whole)");
  }
  const { t, l, v } = wire;
  const source = CLICK_SOURCES.find((known) => known === (wire["s"] ?? "link"));
  const method = CLICK_METHODS.find((known) => known === (wire["m"] ?? "GET"));
  if (typeof t !== "number" || !Number.isSafeInteger(t) || t < 0 || t > MAX_INSTANT_MS) {
    return fail("t");
  }
  if (typeof l !== "string" || !UUID.test(l)) {
    return fail("l");
  }
  if (typeof v !== "number" || !Number.isSafeInteger(v) || v < 1) {
    return fail("v");
  }
  if (source === undefined) {
    return fail("s");
  }
  if (method === undefined) {
    return fail("m");
  }
  return ok({
    clickedAtMs: t,
    linkId: l,
    linkVersion: v,
    alias: toOptionalText(wire["al"]),
    source,
    method,
    address: toText(wire["a"]),
    userAgent: toText(wire["u"]),
    referrer: toText(wire["f"]),
    acceptLanguage: toText(wire["g"]),
    purpose: toText(wire["p"]),
    optedOut: wire["o"] === 1,
    country: toText(wire["co"]),
    region: toText(wire["re"]),
    city: toText(wire["ci"]),
    continent: toText(wire["cn"]),
    colo: toText(wire["dc"]),
    botScore: toWholeNumber(wire["b"]),
    ruleId: toOptionalText(wire["ri"]),
    variantId: toOptionalText(wire["va"]),
    destination: toOptionalText(wire["d"]),
    utmSource: toOptionalText(wire["us"]),
    utmMedium: toOptionalText(wire["um"]),
    utmCampaign: toOptionalText(wire["uc"]),
    utmTerm: toOptionalText(wire["ut"]),
    utmContent: toOptionalText(wire["un"]),
  });
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** An optional fact of the wrong type is a fact not known: it must not cost the click. */
function toText(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function toOptionalText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function toWholeNumber(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function toFields(value: unknown): { readonly [field: string]: unknown } | null {
  return typeof value === "object" && value !== null ? { ...value } : null;
}

function malformed(field: string): Result<never, SegmentFault> {
  return fail({ reason: "segment_malformed", field });
}
