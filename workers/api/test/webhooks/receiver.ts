/** A receiver of webhooks on this machine, which does as it is told, and remembers what it accepted. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";

export type Received = {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly [name: string]: unknown };
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
  /** Epoch milliseconds. */
  readonly receivedAtMs: number;
};

/** A status, or what becomes of the connection. `big`: an answer without an end. */
export type Behaviour = number | "hang" | "reset" | "big" | "slow" | "redirect";

const SLOW_MS = 300;

export async function openReceiver() {
  let behaviour: (message: Received) => Behaviour = () => 204;
  /** Every message that came, accepted or not. */
  const received: Received[] = [];
  const accepted: Received[] = [];
  const secrets: string[] = [];
  let answer = "";
  const open = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    open.add(response);
    response.on("close", () => open.delete(response));
    void read(request).then((message) => {
      received.push(message);
      const wanted = behaviour(message);
      // Fails the request, and so the test, if a signature is wrong.
      if (secrets.length > 0 && !secrets.some((secret) => isSigned(secret, message))) {
        response.writeHead(401).end();
        return;
      }
      const accept = (status: number) => {
        if (status < 300) {
          accepted.push(message);
        }
        response.writeHead(status).end(status === 204 ? undefined : answer);
      };
      switch (wanted) {
        case "hang":
          return;
        case "reset":
          request.socket.resetAndDestroy();
          return;
        case "redirect":
          response.writeHead(307, { location: url }).end();
          return;
        case "slow":
          setTimeout(() => accept(204), SLOW_MS);
          return;
        case "big": {
          response.writeHead(200);
          const write = (): boolean => response.write("x".repeat(65_536));
          response.on("drain", write);
          while (write()) {
            // Until the socket is full.
          }
          return;
        }
        default:
          accept(wanted);
      }
    });
  });
  const listen = async (port: number): Promise<void> => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  };
  const end = async (): Promise<void> => {
    open.forEach((response) => response.destroy());
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/hook`;
  return {
    url,
    received,
    accepted,
    /** Messages that are signed with none of these are refused. */
    secrets,
    behave(next: Behaviour | ((message: Received) => Behaviour), body = ""): void {
      behaviour = typeof next === "function" ? next : () => next;
      answer = body;
    },
    /** Clicks that were accepted, by id, in order, however they came. */
    clickIds: (): readonly string[] => accepted.flatMap(clickIdsOf),
    /** Refuses connections. */
    down: end,
    async up(): Promise<void> {
      if (!server.listening) {
        await listen(port);
      }
    },
    async close(): Promise<void> {
      if (server.listening) {
        await end();
      }
    },
  };
}

export type Receiver = Awaited<ReturnType<typeof openReceiver>>;

export function clickIdsOf({ type, data }: Received): readonly string[] {
  const idOf = (click: unknown) => String((click as { readonly id: string }).id);
  return type === "click"
    ? [idOf(data)]
    : type === "click.batch"
      ? (data["clicks"] as readonly unknown[]).map(idOf)
      : [];
}

function isSigned(secret: string, { body, headers }: Received): boolean {
  try {
    new Webhook(secret).verify(body, { ...headers });
    return true;
  } catch {
    return false;
  }
}

async function read(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
  }
  const body = Buffer.concat(chunks).toString();
  const { type, data } = JSON.parse(body) as Pick<Received, "type" | "data">;
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  return { id: headers["webhook-id"] ?? "", type, data, headers, body, receivedAtMs: Date.now() };
}
