/**
 * What the change feed answers over HTTP, made once for many readers: its head, which is what was announced in the last seconds,
 * and blocks of older versions.
 */
import { encodeChangePage, MADE_AT_HEADER } from "@hopline/core/feed/change-page";
import { CHANGES_PER_BLOCK, countOf, encodeVersionBlock } from "@hopline/core/feed/version-block";
import { setLatest } from "@hopline/edge-cache/set-latest";
import type { ChangeLog } from "./change-log.ts";

/** Readers look at the age of the head themselves. */
const HEAD_MAX_AGE_SECONDS = 10;
/** The head reaches further back than the copy of a block that is filling may be old. */
const FILLING_MAX_AGE_SECONDS = 1;
const FILLING_REUSED_FOR_MS = 1_000;
const FULL_MAX_AGE_SECONDS = 300;

/** A large head takes 10 ms to make, and three hundred data centres ask for it every second: so it is made ten times a second. */
const LARGE_HEAD_CHARACTERS = 64 * 1024;
const LARGE_HEAD_REUSED_FOR_MS = 100;

/** All that the feed keeps: 2.5 MB. */
const MAX_BLOCKS = 17;

type Head = { readonly text: string; readonly tag: string; readonly madeAtMs: number; isCurrent: boolean };
type Block = { readonly bytes: ArrayBuffer; readonly isFull: boolean; readonly madeAtMs: number };

export interface FeedPages {
  /** `head`, or `<feed id>/versions/<block>`. */
  respond(path: string, nowMs: number): Response;
  /** There are new changes. */
  outdate(): void;
}

export function createFeedPages(log: ChangeLog): FeedPages {
  const { feedId } = log.readHead();
  let head: Head | null = null;
  const blocks = new Map<number, Block>();

  function makeHead(nowMs: number): Head {
    const page = log.readHead();
    return {
      text: encodeChangePage(page),
      tag: `"${feedId}-${page.last}"`,
      madeAtMs: nowMs,
      isCurrent: true,
    };
  }

  function makeBlock(number: number, nowMs: number): Block | null {
    const block = log.readBlock(number);
    if (block === null) {
      return null;
    }
    const isFull = ((block.first - 1) % CHANGES_PER_BLOCK) + countOf(block) === CHANGES_PER_BLOCK;
    const made = { bytes: encodeVersionBlock(block), isFull, madeAtMs: nowMs };
    setLatest(blocks, [number, made], MAX_BLOCKS);
    return made;
  }

  return {
    outdate() {
      if (head !== null) {
        head.isCurrent = false;
      }
    },
    respond(path, nowMs) {
      const [id = "", , block = ""] = path.split("/");
      if (id === "head") {
        const reusedForMs = (head?.text.length ?? 0) > LARGE_HEAD_CHARACTERS ? LARGE_HEAD_REUSED_FOR_MS : 0;
        head =
          head === null || (!head.isCurrent && nowMs - head.madeAtMs >= reusedForMs) ? makeHead(nowMs) : head;
        const madeAtMs = head.isCurrent ? nowMs : head.madeAtMs;
        return toResponse(head.text, { madeAtMs, maxAgeSeconds: HEAD_MAX_AGE_SECONDS, etag: head.tag });
      }
      const number = id === feedId && /^\d{1,15}$/.test(block) ? Number(block) : -1;
      const held = blocks.get(number);
      const isGood = held !== undefined && (held.isFull || nowMs - held.madeAtMs < FILLING_REUSED_FOR_MS);
      const page = isGood ? held : makeBlock(number, nowMs);
      if (page === null) {
        return new Response(null, { status: 404, headers: { "cache-control": "no-store" } });
      }
      const maxAgeSeconds = page.isFull ? FULL_MAX_AGE_SECONDS : FILLING_MAX_AGE_SECONDS;
      return toResponse(page.bytes, { madeAtMs: page.madeAtMs, maxAgeSeconds });
    },
  };
}

function toResponse(
  body: string | ArrayBuffer,
  {
    madeAtMs,
    maxAgeSeconds,
    etag,
  }: { readonly madeAtMs: number; readonly maxAgeSeconds: number; readonly etag?: string },
): Response {
  return new Response(body, {
    headers: {
      "content-type": etag === undefined ? "application/octet-stream" : "application/json",
      "cache-control": `max-age=${maxAgeSeconds}`,
      [MADE_AT_HEADER]: String(madeAtMs),
      ...(etag === undefined ? {} : { etag }),
    },
  });
}
