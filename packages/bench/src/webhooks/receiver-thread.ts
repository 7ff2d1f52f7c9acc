/**
 * The receivers of webhooks-section.ts, in a thread of their own: they count what they accept, and note when each click came.
 * Requests of the path that is given as `workerData` are never answered. A message `"report"` is answered with what has come so far, `"end"` ends them.
 */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

export type ReceiverReport = {
  /** Different clicks, by the path of the endpoint. */
  readonly clicks: { readonly [path: string]: number };
  readonly messages: number;
  /** Clicks that came again. */
  readonly again: number;
  /** From the redirect to the receiver, of each click when it came first. */
  readonly tookMs: readonly number[];
};

type Click = { readonly id: string; readonly at: string };
type Body =
  | { readonly type: "click"; readonly data: Click }
  | { readonly type: "click.batch"; readonly data: { readonly clicks: readonly Click[] } };

const seen = new Map<string, Set<string>>();
const tookMs: number[] = [];
let messages = 0;
let again = 0;

const server = createServer((request, response) => {
  void readText(request).then((text) => {
    if (request.url === workerData) {
      return;
    }
    const receivedAtMs = Date.now();
    const body = JSON.parse(text) as Body;
    messages += 1;
    accept(request.url ?? "", body.type === "click" ? [body.data] : body.data.clicks, receivedAtMs);
    response.writeHead(204).end();
  });
});

function accept(path: string, clicks: readonly Click[], receivedAtMs: number): void {
  const ids = seen.get(path) ?? new Set();
  seen.set(path, ids);
  for (const { id, at } of clicks) {
    if (ids.has(id)) {
      again += 1;
    } else {
      ids.add(id);
      tookMs.push(receivedAtMs - Date.parse(at));
    }
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}

parentPort?.on("message", (wanted: "report" | "end") => {
  if (wanted === "end") {
    server.closeAllConnections();
    server.close(() => parentPort?.close());
    return;
  }
  const clicks = Object.fromEntries([...seen].map(([path, ids]) => [path, ids.size]));
  parentPort?.postMessage({ clicks, messages, again, tookMs } satisfies ReceiverReport);
});

server.listen(0, "127.0.0.1", () => parentPort?.postMessage((server.address() as AddressInfo).port));
