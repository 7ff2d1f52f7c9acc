/**
 * The identity of a click: (isolate, sequence) as a UUID of version 8 (RFC 9562, custom layout). A redelivered click
 * has the same identity and collides with itself in the database; no two clicks share one.
 *
 * Layout of the 122 free bits, from the left: 64 bits isolate id, 58 bits sequence number.
 */

/** 16 lower-case hexadecimal digits: 64 random bits. */
const ISOLATE_ID = /^[0-9a-f]{16}$/;

export function isIsolateId(text: string): boolean {
  return ISOLATE_ID.test(text);
}

/**
 * Makes the event id of a click.
 *
 * @param isolateId 16 lower-case hexadecimal digits.
 * @param sequence the click's number in its isolate, from 1, a safe integer (2^53 < 2^58, so it always fits).
 */
export function eventIdOf(isolateId: string, sequence: number): string {
  // The last isolate digit is split over the variant digit (its high half) and the digit after it (its low half).
  const last = Number.parseInt(isolateId.charAt(15), 16);
  const variantDigit = (0b1000 | (last >> 2)).toString(16);
  const tail = sequence.toString(16).padStart(14, "0");
  const mixedDigit = ((last & 0b11) << 2).toString(16);
  const head = `${isolateId.slice(0, 8)}-${isolateId.slice(8, 12)}-8${isolateId.slice(12, 15)}`;
  return `${head}-${variantDigit}${mixedDigit}${tail.slice(0, 2)}-${tail.slice(2)}`;
}

/** The inverse. Of any other UUID, some isolate and number. */
export function placeOfEvent(eventId: string): { readonly isolateId: string; readonly sequence: number } {
  const digits = eventId.replaceAll("-", "");
  const [variant, mixed] = [Number.parseInt(digits.charAt(16), 16), Number.parseInt(digits.charAt(17), 16)];
  const last = (((variant & 0b11) << 2) | (mixed >> 2)).toString(16);
  return {
    isolateId: digits.slice(0, 12) + digits.slice(13, 16) + last,
    sequence: Number.parseInt(digits.slice(18), 16),
  };
}
