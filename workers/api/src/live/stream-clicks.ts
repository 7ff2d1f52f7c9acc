/**
 * One open live stream: polls the database and writes what is new, as fast as the client reads. Reads nothing ahead of the
 * client. Ends after its time, and the client reconnects with its cursor; or when its caller may not read it any more.
 */
import type { LiveSettings } from "../api-deps.ts";
import { type Log, nameOfError } from "../log.ts";
import type { LiveCursor } from "./live-cursor.ts";
import {
  begin,
  isLost,
  type Look,
  MAX_POLL_CLICKS,
  reset,
  type Step,
  type StreamEvent,
  tell,
} from "./plan-poll.ts";

export const LIVE_SETTINGS: LiveSettings = { pollMs: 2_000, maxStreamMs: 60_000, maxStreams: 20 };

/** How long a client waits before it reconnects. */
const RETRY_MS = 1_000;

export type LivePorts = {
  /** Clicks after the cursor, and the horizon of the same snapshot; for `null`, only the horizon. Rejects when the database does. */
  readonly look: (after: LiveCursor | null, limit: number) => Promise<Look>;
  /** Called once, however the stream ends. Never rejects. */
  readonly onEnd: () => Promise<void>;
  /** A position as its client gets it. */
  readonly seal: (cursor: LiveCursor) => Promise<string>;
  readonly wait: (ms: number) => Promise<unknown>;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  readonly log: Log;
  /** Of the request that is answered with the stream. */
  readonly requestId: string;
};

/** @param first the result of the first poll, which the caller does, so that its failure can still become a status. */
export function streamClicks(
  first: { readonly cursor: LiveCursor | null; readonly look: Look },
  ports: LivePorts,
  settings: LiveSettings,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const startedAtMs = ports.nowMs();
  const isOver = (): boolean => ports.nowMs() - startedAtMs >= settings.maxStreamMs;
  let step: Step | null = null;
  let isCancelled = false;

  const write = async ({ name, cursor, data }: StreamEvent) =>
    `event: ${name}\nid: ${await ports.seal(cursor)}\ndata: ${JSON.stringify(data)}\n\n`;
  const writeAll = async (events: readonly StreamEvent[]) => (await Promise.all(events.map(write))).join("");

  /** `null`: the caller may not read on. */
  const next = async ({ cursor, isBehind }: Step): Promise<Step | null> => {
    if (!isBehind) {
      await ports.wait(settings.pollMs);
    }
    const look = await ports.look(cursor, MAX_POLL_CLICKS);
    return look.isAllowed ? tell(look) : null;
  };
  /** The next text, or `null` at the end of the stream. */
  const speak = async (): Promise<string | null> => {
    if (step === null) {
      step = firstStep(first, ports.nowMs());
      return `retry: ${RETRY_MS}\n\n${await writeAll(step.events)}`;
    }
    if (isCancelled || isOver()) {
      return null;
    }
    const further = await next(step);
    if (further === null) {
      return null;
    }
    step = further;
    // Something after each poll: only a write shows that the client has left, and until then it keeps its place. A block
    // without data is no event, but it moves the client's last event id.
    return step.events.length > 0
      ? writeAll(step.events)
      : `: still here\nid: ${await ports.seal(step.cursor)}\n\n`;
  };

  return new ReadableStream(
    {
      async pull(controller) {
        // A database failure ends the stream like its time limit does: the client has its cursor and reconnects.
        const words = await speak().catch((error: unknown) => {
          ports.log({ event: "live.broken", requestId: ports.requestId, reason: nameOfError(error) });
          return null;
        });
        if (isCancelled) {
          return;
        }
        if (words !== null) {
          controller.enqueue(encoder.encode(words));
        } else {
          await ports.onEnd();
          controller.close();
        }
      },
      async cancel() {
        isCancelled = true;
        await ports.onEnd();
      },
    },
    // Reads nothing ahead of the client.
    { highWaterMark: 0 },
  );
}

function firstStep(
  { cursor, look }: { readonly cursor: LiveCursor | null; readonly look: Look },
  nowMs: number,
): Step {
  if (cursor === null) {
    return begin(look.horizon, nowMs);
  }
  return isLost(cursor, look.horizon, nowMs) ? reset(cursor, look.horizon, nowMs) : tell(look);
}
