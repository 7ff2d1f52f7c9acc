/** Sorts a batch of messages: segments, each once however many messages carry it, and messages that are not one. Pure. */
import { decodeSegment, type Segment } from "@hopline/core/click/segment";

export type BatchMessage = { readonly id: string; readonly attempts: number; readonly body: unknown };

export type PlannedSegment<Message> = {
  readonly segment: Segment;
  /** In the order of the batch. More than one if a message was delivered again in the same batch. */
  readonly messages: readonly Message[];
};

export type BatchPlan<Message> = {
  readonly segments: readonly PlannedSegment<Message>[];
  readonly undecodable: readonly { readonly message: Message; readonly field: string }[];
};

export function planBatch<Message extends BatchMessage>(messages: readonly Message[]): BatchPlan<Message> {
  const segments = new Map<string, { segment: Segment; messages: Message[] }>();
  const undecodable: { readonly message: Message; readonly field: string }[] = [];
  for (const message of messages) {
    const decoded = decodeSegment(message.body);
    if (!decoded.ok) {
      undecodable.push({ message, field: decoded.error.field });
      continue;
    }
    const key = keyOf(decoded.value);
    const planned = segments.get(key) ?? { segment: decoded.value, messages: [] };
    planned.messages.push(message);
    segments.set(key, planned);
  }
  return { segments: [...segments.values()], undecodable };
}

/** A report without clicks carries the number of the clicks to come. It must not be mistaken for them. */
function keyOf({ isolateId, firstSequence, clicks, report }: Segment): string {
  return clicks.length === 0 ? `${isolateId}/report/${report?.number}` : `${isolateId}/${firstSequence}`;
}

/** The text of a message's body, as it would be sent again. */
export function textOfBody(body: unknown): string {
  return typeof body === "string" ? body : (JSON.stringify(body) ?? "");
}
