/** A resolver that speaks DNS over HTTPS in JSON (over HTTP, on this machine), and knows the TXT records that it is given. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export type FakeResolver = {
  readonly url: string;
  /** By name. */
  readonly texts: Map<string, string>;
  close(): Promise<void>;
};

export async function startFakeResolver(): Promise<FakeResolver> {
  const texts = new Map<string, string>();
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? "/", "http://resolver").searchParams.get("name") ?? "";
    const text = texts.get(name);
    const answer =
      text === undefined
        ? { Status: 3 }
        : { Status: 0, Answer: [{ name, type: 16, TTL: 60, data: `"${text}"` }] };
    response.setHeader("content-type", "application/dns-json").end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/dns-query`,
    texts,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
