/**
 * A fuzzer that is not ours reads the document and asks what it likes: https://schemathesis.readthedocs.io. Only with `--full`, and
 * where the program is installed (CONTRIBUTING.md). Some ten thousand requests, over the application and a real Postgres,
 * with limits that nothing reaches and with streams that end after their first poll.
 */
import { spawn, spawnSync } from "node:child_process";
import { createServer, type IncomingMessage } from "node:http";
import { mkdtempSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { expect, it, onTestFinished } from "vitest";
import { IS_FULL } from "../../../../packages/core/test/runs.ts";
import { LIVE_SETTINGS } from "../../src/live/stream-clicks.ts";
import { METRICS_TOKEN, openStage } from "../stage.ts";

const PROGRAM = process.env["SCHEMATHESIS"] ?? "schemathesis";
const IS_THERE = IS_FULL && spawnSync(PROGRAM, ["--version"]).status === 0;

/** Besides some ten thousand requests at the edges of each parameter and field. */
const EXAMPLES_AN_OPERATION = 50;
const MAX_SECONDS = 3_000;

/** Characters of its report. */
const MAX_SAID = 10_000;

const CHECKS = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_schema_conformance",
  "response_headers_conformance",
];

const OPTIONS = {
  "max-examples": EXAMPLES_AN_OPERATION,
  workers: 2,
  phases: "examples,coverage,fuzzing",
  checks: CHECKS.join(","),
  // The caller's own workspace and key would be gone; and it can't write JSON lines.
  "exclude-operation-id-regex": "deleteWorkspace|revokeKey|rotateKey|importLinks|testWebhook",
  "suppress-health-check": "all",
  "generation-database": "none",
  warnings: "off",
};
const ARGUMENTS = [
  "--continue-on-failure",
  "--no-color",
  ...Object.entries(OPTIONS).flatMap(([name, value]) => [`--${name}`, String(value)]),
];

it.skipIf(!IS_THERE)(
  "answers ten thousand requests of Schemathesis as documented, never with 5xx",
  { timeout: (MAX_SECONDS + 120) * 1_000 },
  async () => {
    const stage = await openStage();
    onTestFinished(() => stage.close());
    const workspace = await stage.addWorkspace();
    const key = await stage.addKey(workspace, ["admin"]);
    const live = { ...LIVE_SETTINGS, maxStreamMs: 0, maxStreams: 1_000 };
    const app = stage.appWithStreams(live);
    let requests = 0;
    const broken: string[] = [];
    // A query of the fuzzer may be longer than Node's 16 KB; nothing else is in between here.
    const server = createServer({ maxHeaderSize: 1_000_000 }, async (incoming, outgoing) => {
      requests += 1;
      if (NO_METHODS_OF_FETCH.has(incoming.method ?? "")) {
        outgoing.writeHead(405).end();
        return;
      }
      const request = await toRequest(incoming, key);
      // Rejects where the document is not kept (hold-to-document.ts).
      const response = await Promise.resolve(app.request(request)).catch((error: Error) => {
        broken.push(`${incoming.method} ${incoming.url?.slice(0, 200)}: ${error.message.slice(0, 500)}`);
        return new Response(error.message, { status: 500 });
      });
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      await pipeline(
        response.body === null ? Readable.from([]) : Readable.fromWeb(response.body as never),
        outgoing,
      );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    const program = spawn(PROGRAM, ["run", `${url}/api/openapi.json`, "--url", url, ...ARGUMENTS], {
      // It keeps what it found in the folder it is run in.
      cwd: mkdtempSync(join(tmpdir(), "hopline-fuzz-")),
      stdio: ["ignore", "pipe", "inherit"],
      timeout: MAX_SECONDS * 1_000,
    });
    const said: string[] = [];
    program.stdout.setEncoding("utf8").on("data", (text: string) => said.push(text));
    const status = await new Promise((resolve) => program.once("close", resolve));
    server.close();
    console.log(`${requests} requests`);
    expect(broken).toEqual([]);
    expect(status, said.join("").slice(-MAX_SAID)).toBe(0);
    expect(stage.log.filter(({ event }) => event === "handler.crashed")).toEqual([]);
    expect(requests).toBeGreaterThanOrEqual(10_000);
  },
);

/** A Request of the Fetch standard has none of them. */
const NO_METHODS_OF_FETCH = new Set(["TRACE", "TRACK", "CONNECT"]);

async function toRequest(incoming: IncomingMessage, key: string): Promise<Request> {
  const { method = "GET", url = "/" } = incoming;
  const headers = new Headers();
  for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
    headers.append(incoming.rawHeaders[at] ?? "", incoming.rawHeaders[at + 1] ?? "");
  }
  // Of another workspace than the key's nothing is answered but that.
  headers.delete("hopline-workspace");
  const target = new URL(url, "http://go.example.com");
  target.searchParams.delete("workspace");
  headers.set("authorization", `Bearer ${url.startsWith("/api/metrics") ? METRICS_TOKEN : key}`);
  const parts: Buffer[] = [];
  for await (const part of incoming) {
    parts.push(part as Buffer);
  }
  const body = Buffer.concat(parts);
  const hasBody = !["GET", "HEAD"].includes(method) && body.length > 0;
  return new Request(target, {
    method,
    headers,
    ...(hasBody ? { body } : {}),
  });
}
