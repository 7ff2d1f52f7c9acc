/** Reads a response of server-sent events, block by block, as a client does. */

export type ReceivedEvent = {
  readonly name: string | null;
  readonly id: string | null;
  /** Parsed; `null` for a block without data. */
  readonly data: { readonly [field: string]: unknown } | null;
};

export type EventReader = {
  /** The next block with data. Rejects when the stream ends before. */
  next(): Promise<ReceivedEvent>;
  /** Everything up to the end of the stream. */
  rest(): Promise<readonly ReceivedEvent[]>;
  /** The id a client would reconnect with. */
  lastEventId(): string;
  cancel(): Promise<void>;
};

export function readEvents(response: Response): EventReader {
  if (response.body === null) {
    throw new Error("the response has no body");
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  let lastEventId = "";

  /** `null` at the end. */
  const block = async (): Promise<ReceivedEvent | null> => {
    for (;;) {
      const end = text.indexOf("\n\n");
      if (end !== -1) {
        const event = parseBlock(text.slice(0, end));
        text = text.slice(end + 2);
        lastEventId = event.id ?? lastEventId;
        return event;
      }
      const { done, value } = await reader.read();
      if (done) {
        return null;
      }
      text += value;
    }
  };
  const nextOrEnd = async (): Promise<ReceivedEvent | null> => {
    for (;;) {
      const event = await block();
      if (event === null || event.data !== null) {
        return event;
      }
    }
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

function parseBlock(block: string): ReceivedEvent {
  const field = (name: string): string | null =>
    block
      .split("\n")
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2) ?? null;
  const data = field("data");
  return {
    name: field("event"),
    id: field("id"),
    data: data === null ? null : (JSON.parse(data) as { readonly [field: string]: unknown }),
  };
}
