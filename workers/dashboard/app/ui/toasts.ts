/** Short messages about what was done, with a way back where there is one. overlays.tsx shows them. */
import { explain } from "../api.ts";
import { loadOverlays } from "./load-overlays.ts";
import { putMessage } from "./message-queue.ts";
import { t } from "./words.ts";

/** `undo` is offered for as long as the message is there. */
export function say(text: string, undo?: () => void): void {
  loadOverlays();
  putMessage({
    title: text,
    timeout: undo === undefined ? 4_000 : 10_000,
    ...(undo === undefined ? {} : { actionProps: { children: t.undo, onClick: undo } }),
  });
}

export function sayError(error: unknown): void {
  const { text, requestId } = explain(error);
  loadOverlays();
  putMessage({
    title: text,
    ...(requestId === null ? {} : { description: t.requestId(requestId) }),
    timeout: 12_000,
    priority: "high",
  });
}

/** What takes a change back, and says whether it did. */
export function undoing(undo: () => Promise<unknown>): () => void {
  return () => void undo().then(() => say(t.undone), sayError);
}
