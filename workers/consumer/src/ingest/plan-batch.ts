/** Sorts a batch of messages into segments, each once however many messages carry it, and what is no segment. Pure. */
import { decodeSegment, type Segment } from "@hopline/core/click/segment";

export type BatchMessage = { readonly id: string; readonly attempts: number; readonly body: unknown };

export type PlannedSegment<Message> = {
  readonly segment: Segment;
  /** In the order of the batch; more than one when a message was delivered again in the same batch. */
  readonly messages: readonly Message[];
};

export type BatchPlan<Message> = {
  readonly segments: readonly PlannedSegment<Message>[];
  readonly undecodable: readonly { readonly message: Message; readonly field: string }[];
};

export function planBatch<Message extends BatchMessage>(messages: readonly Message[]): BatchPlan<Message> {
  const segments = new Map<string, PlannedSegment<Message>>();
  const undecodable: { readonly message: Message; readonly field: string }[] = [];
  for (const message of messages) {
    const decoded = decodeSegment(message.body);
    if (!decoded.ok) {
      undecodable.push({ message, field: decoded.error.field });
      continue;
    }
    const segment = decoded.value;
    const key = keyOf(segment);
    const known = segments.get(key);
    segments.set(key, {
      segment: known?.segment ?? segment,
      messages: [...(known?.messages ?? []), message],
    });
  }
  return { segments: [...segments.values()], undecodable };
}

/** A report that travels alone stands at the number of the clicks to come, and is not them. */
function keyOf({ isolateId, firstSequence, clicks, report }: Segment): string {
  return clicks.length === 0 ? `${isolateId}/report/${report?.number}` : `${isolateId}/${firstSequence}`;
}

/** The text of a message's body, as it would be sent again. */
export function textOfBody(body: unknown): string {
  return typeof body === "string" ? body : (JSON.stringify(body) ?? "");
}
