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
    textBytesBound(requestTexts(click)) +
    optionalBytesBound(click.region) +
    optionalBytesBound(click.city) +
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
 * What is plain in nearly every request, joined for one look: each text by itself, character by character, takes an
 * isolate hit 8,500 instructions, and this 5,000 (callgrind, workerd 1.20261102). Names of places are not in it, since
 * many are not in ASCII.
 */
function requestTexts(click: Click): string {
  return (
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
    (click.colo ?? "")
  );
}

/** `,"ut":""` around the text, when it is there at all. */
const OPTIONAL_FRAME_BYTES = 8;

function optionalBytesBound(text: string | null | undefined): number {
  return text === undefined || text === null ? 0 : OPTIONAL_FRAME_BYTES + textBytesBound(text);
}

function textBytesBound(text: string): number {
  return NOT_PLAIN.test(text) ? text.length * MAX_BYTES_PER_UNIT : text.length;
}

/** JSON writes all others as they are, in one byte: printable ASCII but the quote and the backslash. */
const NOT_PLAIN = /[^ !#-[\]-~]/;
