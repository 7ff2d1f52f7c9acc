/** One visit of one isolate, under the host of its link: `fetch` sets no Host header, and corrects paths. */
import { type Agent, request as httpRequest } from "node:http";

export type IsolateVisit = {
  /** `http://host:port` of the isolate. */
  readonly origin: string;
  /** The short domain that is visited. */
  readonly host: string;
  /** From `/`. */
  readonly path: string;
  /** GET by default. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly agent?: Agent;
};

/** Instants in epoch milliseconds of this machine's clock, which is also the isolates'. */
export type IsolateAnswer = {
  readonly status: number;
  readonly location: string | null;
  /** The tier that answered: asked for with the debug header. */
  readonly tier: string | null;
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
};

export function visitIsolate(visit: IsolateVisit): Promise<IsolateAnswer> {
  const { origin, host, headers = {}, ...options } = visit;
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const sentAtMs = Date.now();
    const fields = { "hopline-debug": "1", ...headers, host };
    const outgoing = httpRequest({ hostname, port, ...options, headers: fields }, (response) => {
      response.resume();
      const { location, "server-timing": tier } = response.headers;
      resolve({
        status: response.statusCode ?? 0,
        location: location ?? null,
        tier: typeof tier === "string" ? tier : null,
        sentAtMs,
        receivedAtMs: Date.now(),
      });
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
}
