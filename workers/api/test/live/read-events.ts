/** Reads a response of server-sent events like a client does. */
import { EventSourceParserStream } from "eventsource-parser/stream";

export type ReceivedEvent = {
  readonly name: string | undefined;
  readonly data: { readonly [field: string]: unknown };
};

export type EventReader = {
  /** Rejects when the stream ends before the next event. */
  next(): Promise<ReceivedEvent>;
  /** All events up to the end of the stream. */
  rest(): Promise<readonly ReceivedEvent[]>;
  /** The id with which a client would reconnect. */
  lastEventId(): string;
  cancel(): Promise<void>;
};

export function readEvents(response: Response): EventReader {
  if (response.body === null) {
    throw new Error("the response has no body");
  }
  const reader = response.body
    .pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>)
    .pipeThrough(new EventSourceParserStream({ onError: "terminate" }))
    .getReader();
  let lastEventId = "";
  const nextOrEnd = async (): Promise<ReceivedEvent | null> => {
    const { done, value } = await reader.read();
    if (done) {
      return null;
    }
    lastEventId = value.id ?? lastEventId;
    return { name: value.event, data: JSON.parse(value.data) as ReceivedEvent["data"] };
  };
  return {
    async next() {
      const event = await nextOrEnd();
      if (event === null) {
        throw new Error("the stream ended");
      }
      return event;
    },
    async rest() {
      const events: ReceivedEvent[] = [];
      for (let event = await nextOrEnd(); event !== null; event = await nextOrEnd()) {
        events.push(event);
      }
      return events;
    },
    lastEventId: () => lastEventId,
    cancel: () => reader.cancel(),
  };
}
