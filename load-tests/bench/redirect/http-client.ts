/**
 * The least HTTP/1.1 client that can time a redirect: one keep-alive connection, one request at a time, the status and
 * nothing else read. Node's own client costs several times workerd's constant answer and would be what is measured.
 */
import { connect, type Socket } from "node:net";

const HEAD_END = Buffer.from("\r\n\r\n");
/** `HTTP/1.1 302`: the status begins after nine bytes. */
const STATUS_OFFSET = 9;

export interface HttpClient {
  /** Sends one request and resolves with its status. Only one at a time. */
  send(requestText: string): Promise<number>;
  close(): void;
}

export function openClient(port: number): Promise<HttpClient> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    socket.once("error", reject);
    socket.once("connect", () => resolve(createClient(socket)));
  });
}

type Waiting = { readonly resolve: (status: number) => void; readonly reject: (error: Error) => void };

function createClient(socket: Socket): HttpClient {
  let waiting: Waiting | undefined;
  let received: Buffer = Buffer.alloc(0);
  const failWith = (error: Error): void => {
    waiting?.reject(error);
    waiting = undefined;
  };
  socket.on("error", failWith);
  socket.on("close", () => failWith(new Error("the connection was closed")));
  socket.on("data", (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const status = readWholeResponse(received);
    if (status !== undefined && waiting !== undefined) {
      received = Buffer.alloc(0);
      const { resolve } = waiting;
      waiting = undefined;
      resolve(status);
    }
  });
  return {
    send: (requestText) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(requestText, "latin1");
      }),
    close: () => socket.destroy(),
  };
}

/** The status, once head and body have arrived; undefined before. Bodies have a length or come in chunks. */
function readWholeResponse(bytes: Buffer): number | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd === -1) {
    return undefined;
  }
  const bodyStart = headEnd + HEAD_END.length;
  const head = bytes.toString("latin1", 0, headEnd).toLowerCase();
  const lengthAt = head.indexOf("\r\ncontent-length:");
  const isWhole =
    lengthAt === -1
      ? !head.includes("\r\ntransfer-encoding: chunked") ||
        bytes.toString("latin1", bytes.length - 5) === "0\r\n\r\n"
      : bytes.length >= bodyStart + Number.parseInt(head.slice(lengthAt + "\r\ncontent-length:".length), 10);
  return isWhole ? Number(bytes.toString("latin1", STATUS_OFFSET, STATUS_OFFSET + 3)) : undefined;
}
