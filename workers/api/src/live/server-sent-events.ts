/** The text of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). Pure. */

export type ServerSentEvent = {
  readonly name: string;
  /** What a client sends back as `Last-Event-ID`. One line. */
  readonly id: string;
  /** Written as JSON, which has no line break of its own. */
  readonly data: unknown;
};

export function writeEvent({ name, id, data }: ServerSentEvent): string {
  return `event: ${name}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Shows that the connection is alive. A block without data is no event, but moves the client's last event id. */
export function writeHeartbeat(id: string): string {
  return `: still here\nid: ${id}\n\n`;
}

/** How long a client waits before it connects again. */
export function writeRetry(retryMs: number): string {
  return `retry: ${retryMs}\n\n`;
}
