/**
 * Everything that outlives a request in this Worker: the isolate's cache, its click buffer and what was announced. Plain
 * data only; a request, a context or an unsettled promise kept here would hang a later visitor.
 */
import { IsolateCache } from "@hopline/edge-cache/isolate-cache";
import { type ClickBindings, createBoundClicks } from "./adapters/bound-clicks.ts";
import { type AnnouncedChanges, createAnnouncedChanges } from "./change-feed/announced-changes.ts";
import { type AnswerMeter, createAnswerMeter } from "./answer-meter.ts";
import { type ClickBuffer, createClickBuffer } from "./click-buffer.ts";
import type { EdgeRecord } from "./edge-record.ts";
import type { ClickSink } from "./ports.ts";

export type IsolateState = {
  readonly cache: IsolateCache<EdgeRecord>;
  /** What the change feed has said in the last minutes. */
  readonly announced: AnnouncedChanges;
  /** Clicks of any request, until they are sent. */
  readonly clicks: ClickBuffer;
  readonly answers: AnswerMeter;
};

let state: IsolateState | undefined;

/** The isolate's state, made with its first request: workerd gives out no randomness before one. */
export function isolateState(): IsolateState {
  state ??= createState();
  return state;
}

function createState(): IsolateState {
  const answers = createAnswerMeter();
  return {
    answers,
    cache: new IsolateCache({ nowMs: Date.now, random: Math.random }),
    announced: createAnnouncedChanges(Date.now),
    clicks: createClickBuffer(toHex(crypto.getRandomValues(new Uint8Array(8))), (nowMs) =>
      answers.takeReport(nowMs),
    ),
  };
}

/** Each set of bindings with its sink: an isolate has one `env`, and looking through it costs more than a redirect. */
const clickSinks = new WeakMap<ClickBindings, ClickSink>();

/** The sink that puts clicks into the isolate's buffer and sends them through these bindings. */
export function isolateClickSink(env: ClickBindings, { clicks }: IsolateState): ClickSink {
  let sink = clickSinks.get(env);
  if (sink === undefined) {
    sink = createBoundClicks(env, clicks);
    clickSinks.set(env, sink);
  }
  return sink;
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
