/** A resolver that speaks DNS over HTTPS in JSON (over HTTP, on this machine), and knows the TXT and CNAME records that it is given. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export type FakeResolver = {
  readonly url: string;
  /** By name. */
  readonly texts: Map<string, string>;
  /** By name, without what is behind them. */
  readonly aliases: Map<string, string>;
  close(): Promise<void>;
};

export async function startFakeResolver(): Promise<FakeResolver> {
  const texts = new Map<string, string>();
  const aliases = new Map<string, string>();
  const server = createServer((request, response) => {
    const asked = new URL(request.url ?? "/", "http://resolver").searchParams;
    const name = asked.get("name") ?? "";
    const [found, type] = asked.get("type") === "TXT" ? [texts.get(name), 16] : [aliases.get(name), 5];
    const data = type === 16 ? `"${found}"` : `${found}.`;
    const answer =
      found === undefined ? { Status: 3 } : { Status: 0, Answer: [{ name, type, TTL: 60, data }] };
    response.setHeader("content-type", "application/dns-json").end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/dns-query`,
    texts,
    aliases,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
