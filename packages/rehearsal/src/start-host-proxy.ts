/**
 * The hosts of a deployment, for programs: a proxy that ends their TLS under a certificate of its own and hands each request to what
 * was uploaded. Any other host fails, so nothing leaves this machine.
 */
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { join } from "node:path";

import { execa } from "execa";

import type { Uploaded } from "./open-uploaded.ts";

export type HostProxyOptions = {
  /** Where key and certificates are put. */
  readonly folder: string;
  /** `go.example.com`, `*.acme.workers.dev`. */
  readonly hosts: readonly string[];
  readonly visit: Uploaded["visit"];
};

export type HostProxy = Awaited<ReturnType<typeof startHostProxy>>;

/** Of one hop, or of a body that `fetch` has unpacked. */
const NOT_PASSED_ON = ["connection", "content-encoding", "content-length", "host", "transfer-encoding"];

export async function startHostProxy({ folder, hosts, visit }: HostProxyOptions) {
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "host.pem")];
  const authorities = join(folder, "authorities.pem");
  const names = hosts.map((host) => `DNS:${host}`).join(",");
  const made = ["-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=rehearsal"];
  const files = ["-keyout", key, "-out", certificate];
  await execa("openssl", ["req", "-x509", ...made, ...files, "-addext", `subjectAltName=${names}`]);
  const known = process.env["NODE_EXTRA_CA_CERTS"];
  const others = known === undefined ? "" : await readFile(known, "utf8");
  await writeFile(authorities, `${others}\n${await readFile(certificate, "utf8")}`);

  const secure = createSecureServer(
    { key: await readFile(key), cert: await readFile(certificate) },
    async (request, response) => {
      const answer = await toVisit(request, visit).catch(() => new Response(null, { status: 502 }));
      const headers = [...answer.headers].filter(([name]) => !NOT_PASSED_ON.includes(name));
      response.writeHead(answer.status, headers.flat());
      response.end(new Uint8Array(await answer.arrayBuffer()));
    },
  );
  const proxy = createServer().on("connect", (_request, socket) => {
    socket.on("error", () => undefined);
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    secure.emit("connection", socket);
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  const address = proxy.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  return {
    /** For Node, wrangler and curl. */
    environment: {
      NODE_USE_ENV_PROXY: "1",
      HTTPS_PROXY: url,
      NO_PROXY: "127.0.0.1,localhost",
      NODE_EXTRA_CA_CERTS: authorities,
      CURL_CA_BUNDLE: authorities,
    },
    stop: async (): Promise<void> => {
      proxy.closeAllConnections();
      await once(proxy.close(), "close");
    },
  };
}

async function toVisit(request: IncomingMessage, visit: Uploaded["visit"]): Promise<Response> {
  const { method = "GET", url = "/", headers } = request;
  const given = Object.entries(headers).filter(([name]) => !NOT_PASSED_ON.includes(name));
  const body = Buffer.concat(await request.toArray());
  return visit(`https://${headers.host}${url}`, {
    method,
    headers: given.map(([name, value]): [string, string] => [name, String(value)]),
    ...(body.length > 0 && { body }),
  });
}
