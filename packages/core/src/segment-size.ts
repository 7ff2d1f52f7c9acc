/**
 * How large a segment's text can become, said click by click without encoding it: an upper bound, so that the edge
 * can fill a segment in one pass. Must follow the format in segment.ts; a property test holds the two together.
 *
 * Bounds count bytes of UTF-8, which is what queues count, not UTF-16 units, which is what `length` counts.
 */
import type { Click } from "./click.ts";

/**
 * The most bytes of clicks in a segment that the edge makes: below the 64 KB (of 1,000 bytes) that Cloudflare Queues
 * bills as one operation, with room for its metadata of about 100 bytes and for a report (edge-report.ts).
 */
export const MAX_SEGMENT_BYTES = 60_000;

/** `{"format":1,"isolate":"…16…","first":9007199254740991,"clicks":[]}`, rounded up. */
export const SEGMENT_FRAME_BYTES = 80;

/** A click with every field there, every text empty and every number at its longest, with its comma, rounded up. */
const CLICK_FRAME_BYTES = 240;

/** The most that JSON makes of one UTF-16 unit: `\u001f`, `\ud83d`. Everything above ASCII takes three bytes or less. */
const MAX_BYTES_PER_UNIT = 6;

/** The most bytes that this click adds to a segment's text. Exact within 240 bytes for plain ASCII. */
export function clickBytesBound(click: Click): number {
  return (
    CLICK_FRAME_BYTES +
    requestBytesBound(click) +
    textBytesBound(click.region) +
    textBytesBound(click.city) +
    optionalBytesBound(click.ruleId) +
    optionalBytesBound(click.variantId) +
    optionalBytesBound(click.destination) +
    optionalBytesBound(click.utmSource) +
    optionalBytesBound(click.utmMedium) +
    optionalBytesBound(click.utmCampaign) +
    optionalBytesBound(click.utmTerm) +
    optionalBytesBound(click.utmContent)
  );
}

/**
 * The fields that are plain in nearly every request, joined for one look by a pattern: for their 350 characters or so a
 * loop takes about 8,500 instructions and the pattern 3,000 (callgrind, workerd 1.20261102). Names of places are not among
 * them, since many are not in ASCII.
 */
function requestBytesBound(click: Click): number {
  const texts =
    click.linkId +
    (click.address ?? "") +
    (click.userAgent ?? "") +
    (click.referrer ?? "") +
    (click.acceptLanguage ?? "") +
    (click.purpose ?? "") +
    (click.country ?? "") +
    (click.continent ?? "") +
    (click.latitude ?? "") +
    (click.longitude ?? "") +
    (click.colo ?? "");
  if (isPlain(texts)) {
    return texts.length;
  }
  return (
    textBytesBound(click.linkId) +
    textBytesBound(click.address) +
    textBytesBound(click.userAgent) +
    textBytesBound(click.referrer) +
    textBytesBound(click.acceptLanguage) +
    textBytesBound(click.purpose) +
    textBytesBound(click.country) +
    textBytesBound(click.continent) +
    textBytesBound(click.latitude) +
    textBytesBound(click.longitude) +
    textBytesBound(click.colo)
  );
}

/** `,"ut":""` around the text, when it is there at all. */
const OPTIONAL_FRAME_BYTES = 8;

function optionalBytesBound(text: string | undefined): number {
  return text === undefined ? 0 : OPTIONAL_FRAME_BYTES + textBytesBound(text);
}

/** By a loop, which for a short text costs less than a pattern does. */
function textBytesBound(text: string | null): number {
  if (text === null) {
    return 0;
  }
  const { length } = text;
  for (let index = 0; index < length; index += 1) {
    if (!isPlainUnit(text.charCodeAt(index))) {
      return length * MAX_BYTES_PER_UNIT;
    }
  }
  return length;
}

/** JSON writes these as they are, in one byte: printable ASCII but the quote and the backslash. */
function isPlainUnit(unit: number): boolean {
  return unit >= 0x20 && unit <= 0x7e && unit !== 0x22 && unit !== 0x5c;
}

/** Of that for each of its units. */
function isPlain(text: string): boolean {
  return !NOT_PLAIN.test(text);
}

const NOT_PLAIN = /[^ !#-[\]-~]/;
