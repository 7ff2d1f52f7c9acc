/**
 * The isolate's click buffer: collects clicks, as they will be sent, into segments and gives each its number. It only
 * decides: no I/O, no clock, no timer. The requests of the isolate do the work, and any of them may end at any moment, so
 * no click and no segment depends on the request that brought it:
 *
 * - the first click of a batch starts a linger; a batch whose linger is overdue goes with the next request;
 * - a segment stays here, in flight, until it is delivered; one that was abandoned is given out again, under the
 *   same numbers, which the database recognises.
 */
import type { EdgeReport } from "@hopline/core/click/edge-report";
import { type EncodedSegment, MAX_SEGMENT_BYTES, MAX_SEGMENT_CLICKS } from "@hopline/core/click/segment";

/** What stands around the clicks of a segment, rounded up. */
const FRAME_BYTES = 80;

/** How long after its linger a batch still waits for the request that started it, in milliseconds. */
export const LINGER_GRACE_MS = 250;

/**
 * After this a segment in flight counts as abandoned, in milliseconds: a request lives for 30 s at most after its
 * response (https://developers.cloudflare.com/workers/platform/limits, `waitUntil`).
 */
export const ABANDONED_AFTER_MS = 35_000;

/** What the request that recorded a click has to do. */
type BufferStep = {
  readonly send: readonly EncodedSegment[];
  /** The batch to take when the linger is over, named by its first sequence number; `null`: nothing to wait for. */
  readonly linger: number | null;
};

export interface ClickBuffer {
  /** Adds a click, from `encodeClick`. `lingerMs` 0: it is sent at once. */
  add(click: string, nowMs: number, lingerMs: number): BufferStep;
  /** The batch of that name as a segment, or `null` when another request has taken it. */
  takeBatch(firstSequence: number, nowMs: number): EncodedSegment | null;
  /** What any other request has to send: a batch whose linger is overdue, and a segment that was abandoned. */
  takeOverdue(nowMs: number, lingerMs: number): readonly EncodedSegment[];
  /** A report as a segment without clicks, under the number that the next click will have: all before it exist. */
  wrapReport(report: EdgeReport): EncodedSegment;
  /** A segment was delivered, or is lost. */
  settle(segment: EncodedSegment): void;
  countInFlight(): number;
  /** Clicks that no queue and no spill has yet. */
  countClicks(): number;
}

const NOTHING_TO_DO: BufferStep = { send: [], linger: null };

type InFlight = { readonly segment: EncodedSegment; readonly takenAtMs: number };

/**
 * @param isolateId 16 lower-case hexadecimal digits. The first click is number 1.
 * @param takeReport what travels with the segment that is made now; once in a segment, however often that is sent.
 */
export function createClickBuffer(
  isolateId: string,
  takeReport: (nowMs: number) => EdgeReport | undefined = () => undefined,
): ClickBuffer {
  let clicks: string[] = [];
  /** Of the first so many clicks; counting reads every character, which would be a fifth of all that a click costs. */
  let counted = { clicks: 0, bytes: FRAME_BYTES };
  /** Of all of them, at most. */
  let mostBytes = FRAME_BYTES;
  let startedAtMs = 0;
  let firstSequence = 1;
  /** By first sequence number, the one taken longest ago first. */
  const inFlight = new Map<number, InFlight>();

  function take(nowMs: number): EncodedSegment {
    const report = takeReport(nowMs);
    const segment: EncodedSegment =
      report === undefined
        ? { isolateId, firstSequence, clicks }
        : { isolateId, firstSequence, clicks, report };
    firstSequence += clicks.length;
    clicks = [];
    counted = { clicks: 0, bytes: FRAME_BYTES };
    mostBytes = FRAME_BYTES;
    inFlight.set(segment.firstSequence, { segment, takenAtMs: nowMs });
    return segment;
  }

  function hasRoomFor(click: string): boolean {
    if (mostBytes + mostBytesOf(click) <= MAX_SEGMENT_BYTES) {
      return true;
    }
    const uncounted = clicks.slice(counted.clicks).join(",");
    counted = { clicks: clicks.length, bytes: counted.bytes + bytesOf(uncounted) };
    mostBytes = counted.bytes;
    return mostBytes + bytesOf(click) <= MAX_SEGMENT_BYTES;
  }

  const isOverdue = (nowMs: number, lingerMs: number) => nowMs - startedAtMs > lingerMs + LINGER_GRACE_MS;

  /** One at most: deliveries that all fail end in the log, which takes 256 KB a request: three sealed segments. */
  function takeAbandoned(nowMs: number): EncodedSegment | null {
    for (const [sequence, { segment, takenAtMs }] of inFlight) {
      if (nowMs - takenAtMs <= ABANDONED_AFTER_MS) {
        return null;
      }
      inFlight.delete(sequence);
      inFlight.set(sequence, { segment, takenAtMs: nowMs });
      return segment;
    }
    return null;
  }

  return {
    add(click, nowMs, lingerMs) {
      const abandoned = inFlight.size === 0 ? null : takeAbandoned(nowMs);
      const full = clicks.length > 0 && !hasRoomFor(click) ? take(nowMs) : null;
      const isFirst = clicks.length === 0;
      if (isFirst) {
        startedAtMs = nowMs;
      }
      clicks.push(click);
      mostBytes += mostBytesOf(click);
      const isDue = lingerMs === 0 || clicks.length >= MAX_SEGMENT_CLICKS || isOverdue(nowMs, lingerMs);
      const due = isDue ? take(nowMs) : null;
      if (abandoned === null && full === null && due === null) {
        return isFirst ? { send: [], linger: firstSequence } : NOTHING_TO_DO;
      }
      return {
        send: [abandoned, full, due].filter((segment) => segment !== null),
        linger: isFirst && due === null ? firstSequence : null,
      };
    },
    takeBatch(sequence, nowMs) {
      return sequence === firstSequence && clicks.length > 0 ? take(nowMs) : null;
    },
    takeOverdue(nowMs, lingerMs) {
      const due = clicks.length > 0 && isOverdue(nowMs, lingerMs) ? take(nowMs) : null;
      return [takeAbandoned(nowMs), due].filter((segment) => segment !== null);
    },
    wrapReport: (report) => ({
      isolateId,
      firstSequence: firstSequence + clicks.length,
      clicks: [],
      report,
    }),
    settle(segment) {
      inFlight.delete(segment.firstSequence);
    },
    countInFlight() {
      return inFlight.size;
    },
    countClicks() {
      let count = clicks.length;
      for (const { segment } of inFlight.values()) {
        count += segment.clicks.length;
      }
      return count;
    },
  };
}

/** With its comma; a unit of UTF-16 takes three bytes of UTF-8 at the most. Queues count bytes. */
function mostBytesOf(click: string): number {
  return (click.length + 1) * 3;
}

function bytesOf(text: string): number {
  return encoder.encode(text).length + 1;
}

const encoder = new TextEncoder();
