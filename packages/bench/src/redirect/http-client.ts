/**
 * The least HTTP/1.1 client that can time a redirect: one keep-alive connection, one request at a time, the status and
 * nothing else read. It must cost less than workerd's constant answer: a target that waits for its load wakes up for
 * each request, where a busy one takes several at a time, and CPU per request would depend on who is waiting.
 */
import { connect, type Socket } from "node:net";

const HEAD_END = Buffer.from("\r\n\r\n");
/** `HTTP/1.1 302`: the status begins after nine bytes. */
const STATUS_OFFSET = 9;
/** Redirects and pages are far smaller; a longer answer arrives in several reads. */
const READ_BYTES = 16_384;

export interface HttpClient {
  /** Sends one request; the answer is given to `onAnswer`. Only one at a time. */
  send(request: Buffer): void;
  close(): void;
}

export type ClientEvents = {
  readonly onAnswer: (status: number) => void;
  readonly onError: (error: Error) => void;
};

/** Connects to 127.0.0.1 and hands the client over; errors after that go to `onError`. */
export function openClient(port: number, events: ClientEvents): Promise<HttpClient> {
  return new Promise((resolve, reject) => {
    const reader = createReader(events.onAnswer);
    const socket: Socket = connect({
      port,
      host: "127.0.0.1",
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafe(READ_BYTES),
        callback: (length, buffer) => {
          reader(Buffer.from(buffer.buffer, buffer.byteOffset, length));
          return true;
        },
      },
    });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.on("error", events.onError);
      socket.on("end", () => events.onError(new Error("the target closed a connection")));
      resolve({ send: (request) => socket.write(request), close: () => socket.destroy() });
    });
  });
}

/** Calls back with the status of each whole response among the bytes that it is given. */
function createReader(onAnswer: (status: number) => void): (bytes: Buffer) => void {
  let pending: Buffer | null = null;
  // Answers of a target are alike: one of the same length with the same status line is whole as the first one was.
  let knownLength = -1;
  let knownStatus = -1;
  return (bytes) => {
    if (pending === null && bytes.length === knownLength && readStatus(bytes) === knownStatus) {
      onAnswer(knownStatus);
      return;
    }
    const all: Buffer = pending === null ? Buffer.from(bytes) : Buffer.concat([pending, bytes]);
    if (!isWholeResponse(all)) {
      pending = all;
      return;
    }
    pending = null;
    knownLength = all.length;
    knownStatus = readStatus(all);
    onAnswer(knownStatus);
  };
}

function readStatus(bytes: Buffer): number {
  const digit = (index: number): number => (bytes[STATUS_OFFSET + index] ?? 0) - 48;
  return digit(0) * 100 + digit(1) * 10 + digit(2);
}

/** Bodies have a length or come in chunks; a response that says neither has none. */
function isWholeResponse(bytes: Buffer): boolean {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd === -1) {
    return false;
  }
  const head = bytes.toString("latin1", 0, headEnd);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) {
    return bytes.length >= headEnd + HEAD_END.length + Number(length);
  }
  const isChunked = /\r\ntransfer-encoding: *chunked/i.test(head);
  return !isChunked || bytes.toString("latin1", bytes.length - 5) === "0\r\n\r\n";
}
