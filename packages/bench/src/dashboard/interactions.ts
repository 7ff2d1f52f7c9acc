/** Interactions in a trace of Chromium: from the event until the frame that shows what it did (Event Timing). Pure. */

export type Interaction = {
  readonly name: string;
  /** Milliseconds, one for each interaction. */
  readonly durations: readonly number[];
};

type TraceEvent = {
  readonly name: string;
  readonly ph: string;
  readonly args?: { readonly data?: { readonly interactionId?: number; readonly duration?: number } };
};

/**
 * An interaction is several events, `keydown` and `keyup`: the longest counts, as for INP (https://web.dev/articles/inp). In the
 * order in which they began. Throws for a trace without any: what was done was no interaction, or the browser does not say.
 */
export function readInteractions(trace: Uint8Array): readonly number[] {
  const { traceEvents } = JSON.parse(new TextDecoder().decode(trace)) as {
    readonly traceEvents: readonly TraceEvent[];
  };
  const longest = new Map<number, number>();
  for (const { name, ph, args } of traceEvents) {
    const { interactionId = 0, duration = 0 } = args?.data ?? {};
    if (name === "EventTiming" && ph === "b" && interactionId > 0) {
      longest.set(interactionId, Math.max(duration, longest.get(interactionId) ?? 0));
    }
  }
  if (longest.size === 0) {
    throw new Error("The trace has no interaction.");
  }
  return [...longest.values()];
}
