/**
 * Cloudflare's custom hostnames as its documentation describes them
 * (https://developers.cloudflare.com/api/resources/custom_hostnames/): one zone, a token, the envelope of every answer.
 */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type CustomHostnames, createCustomHostnames } from "../../src/domains/custom-hostnames.ts";

const ZONE_ID = "023e105f4ecef8ad9ca31a8372d0c353";
const TOKEN = "token-of-the-tests";

type Hostname = {
  readonly id: string;
  readonly hostname: string;
  status: string;
  verification_errors?: string[];
  ssl: { readonly method: string; readonly type: string; status: string; validation_errors?: object[] };
};
type Refusal = { readonly status: number; readonly code: number };

export async function startFakeCloudflare() {
  const hostnames = new Map<string, Hostname>();
  const calls: string[] = [];
  let refusal: Refusal | "hang" | "page" | null = null;
  const server = createServer((request, response) => {
    void answer(request, response);
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://fake");
    calls.push(`${request.method} ${url.pathname.replace(`/zones/${ZONE_ID}`, "")}${url.search}`);
    const text = (await request.toArray()).join("");
    if (refusal === "hang") {
      return;
    }
    if (refusal === "page") {
      response.writeHead(502).end("<html>Bad gateway</html>");
      return;
    }
    if (refusal !== null) {
      send(response, refusal.status, refusal.code);
    } else if (request.headers.authorization !== `Bearer ${TOKEN}`) {
      send(response, 403, 10_000);
    } else {
      route(request.method ?? "", url, { text, response });
    }
  }

  function route(
    method: string,
    url: URL,
    { text, response }: { readonly text: string; readonly response: ServerResponse },
  ): void {
    const [, zone, id] = /^\/zones\/([^/]+)\/custom_hostnames(?:\/([^/]+))?$/.exec(url.pathname) ?? [];
    const one = [...hostnames.values()].find((hostname) => hostname.id === id);
    if (zone !== ZONE_ID || (id !== undefined && one === undefined)) {
      send(response, 404, 1_436);
    } else if (method === "GET") {
      // A search, which may find more than the very host.
      const asked = url.searchParams.get("hostname") ?? "";
      send(
        response,
        200,
        [...hostnames.values()].filter(({ hostname }) => hostname.endsWith(asked)),
      );
    } else if (method === "POST") {
      const { hostname, ssl } = JSON.parse(text) as Pick<Hostname, "hostname" | "ssl">;
      if (hostnames.has(hostname)) {
        send(response, 409, 1_406);
        return;
      }
      const created = {
        id: randomUUID(),
        hostname,
        status: "pending",
        ssl: { ...ssl, status: "initializing" },
      };
      hostnames.set(hostname, created);
      send(response, 201, created);
    } else if (one !== undefined && method === "PATCH") {
      one.ssl.status = "pending_validation";
      send(response, 200, one);
    } else if (one !== undefined && method === "DELETE") {
      hostnames.delete(one.hostname);
      response.end(JSON.stringify({ id: one.id }));
    } else {
      send(response, 405, 10_405);
    }
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    hostnames,
    calls,
    refuse(how: typeof refusal): void {
      refusal = how;
    },
    open: (token = TOKEN): CustomHostnames =>
      createCustomHostnames({ apiUrl: `http://127.0.0.1:${port}`, zoneId: ZONE_ID, token, fetch }),
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A number is the code of an error. */
function send(response: ServerResponse, status: number, result: number | object): void {
  const isError = typeof result === "number";
  const errors = isError ? [{ code: result, message: "as documented" }] : [];
  response
    .writeHead(status, { "content-type": "application/json" })
    .end(JSON.stringify({ success: !isError, errors, messages: [], result: isError ? null : result }));
}
