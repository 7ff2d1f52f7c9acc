/** Sorts a batch of messages into rows to write and messages that are no segments. Pure. */
import { eventIdOf } from "@hopline/core/event-id";
import { decodeSegment } from "@hopline/core/segment";
import type { ClickRow } from "@hopline/db/insert-clicks";
import { toClickRow } from "./to-click-row.ts";

export type BatchMessage = { readonly id: string; readonly attempts: number; readonly body: unknown };

export type BatchPlan<Message> = {
  readonly segments: readonly Message[];
  readonly rows: readonly ClickRow[];
  readonly malformed: readonly { readonly message: Message; readonly field: string }[];
};

export function planBatch<Message extends BatchMessage>(messages: readonly Message[]): BatchPlan<Message> {
  const segments: Message[] = [];
  const rows: ClickRow[] = [];
  const malformed: { readonly message: Message; readonly field: string }[] = [];
  for (const message of messages) {
    const segment = decodeSegment(message.body);
    if (!segment.ok) {
      malformed.push({ message, field: segment.error.field });
      continue;
    }
    const { isolateId, firstSequence, clicks } = segment.value;
    segments.push(message);
    rows.push(
      ...clicks.map((click, index) => toClickRow(eventIdOf(isolateId, firstSequence + index), click)),
    );
  }
  return { segments, rows, malformed };
}
