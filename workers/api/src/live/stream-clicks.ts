/**
 * One open live stream: looks at the database at a steady pace and writes what is new, as fast as the client takes it.
 * Holds no clicks that the client has not asked for; ends by itself, and the client comes back with its cursor.
 */
import { nameOfError } from "../log.ts";
import type { Log } from "../log.ts";
import { encodeLiveCursor, type LiveCursor } from "./live-cursor.ts";
import { begin, isLost, type Look, MAX_POLL_CLICKS, reset, type Step, tell } from "./plan-poll.ts";
import { writeHeartbeat, writeRetry } from "./server-sent-events.ts";

export type LiveSettings = {
  /** Between two looks at the database: one request a stream. */
  readonly pollMs: number;
  /** A connection ends after this. With 2 s between looks a minute stays under the 50 subrequests of the free plan. */
  readonly maxStreamMs: number;
  /** Open at once in a workspace. */
  readonly maxStreams: number;
};

export const LIVE_SETTINGS: LiveSettings = { pollMs: 2_000, maxStreamMs: 60_000, maxStreams: 20 };

/** Proxies close what is silent; 15 s is what the specification of server-sent events suggests. */
const HEARTBEAT_MS = 15_000;
const RETRY_MS = 1_000;

export type LivePorts = {
  /** Clicks after the cursor, and the horizon of the same moment. `null`: the horizon alone. Rejects when the database does. */
  readonly look: (after: LiveCursor | null, limit: number) => Promise<Look>;
  /** Called once, however the stream ends. Never rejects. */
  readonly onEnd: () => Promise<void>;
  readonly wait: (ms: number) => Promise<unknown>;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  readonly log: Log;
};

/** @param first the answer to the first look, which the caller has taken already: a failure then is still a status. */
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
  let spokeAtMs = startedAtMs;

  const next = async ({ cursor, isBehind }: Step): Promise<Step> => {
    if (!isBehind) {
      await ports.wait(settings.pollMs);
    }
    return tell(await ports.look(cursor, MAX_POLL_CLICKS));
  };
  /** The next words, or `null` when the stream is over. */
  const speak = async (): Promise<string | null> => {
    if (step === null) {
      step = firstStep(first, ports.nowMs());
      return writeRetry(RETRY_MS) + step.text;
    }
    while (!isCancelled && !isOver()) {
      step = await next(step);
      const isSilent = ports.nowMs() - spokeAtMs >= HEARTBEAT_MS;
      if (step.text !== "" || isSilent) {
        return step.text === "" ? writeHeartbeat(encodeLiveCursor(step.cursor)) : step.text;
      }
    }
    return null;
  };

  return new ReadableStream(
    {
      async pull(controller) {
        // A database that fails now ends the stream as its time would: the client has its cursor, and asks again.
        const words = await speak().catch((error: unknown) => {
          ports.log({ event: "live.broken", reason: nameOfError(error) });
          return null;
        });
        if (isCancelled) {
          return;
        }
        if (words !== null) {
          spokeAtMs = ports.nowMs();
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
    // Nothing is read ahead of the client.
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
