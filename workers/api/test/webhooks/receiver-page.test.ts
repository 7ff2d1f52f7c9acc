/** The receiver of docs/webhooks.md, as it stands there, in a process of its own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { expect, it, onTestFinished, vi } from "vitest";
import { openWebhookStage } from "./webhook-stage.ts";

const { addWebhook, click, call, run } = await openWebhookStage();

async function findPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

it("verifies, and handles each click once", async () => {
  const page = readFileSync(inWorkspace("docs/webhooks.md"), "utf8");
  const program = /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  // Two lines of formatting are not counted.
  expect(program.trim().split("\n").length).toBeLessThanOrEqual(22);
  const path = join(import.meta.dirname, `receiver-of-page-${process.pid}.ts`);
  writeFileSync(path, program);
  onTestFinished(() => rmSync(path));
  const port = await findPort();
  const webhook = await addWebhook({ url: `http://127.0.0.1:${port}/`, events: ["click"] });
  const child = spawn(process.execPath, [path], {
    env: { PATH: process.env["PATH"], SECRET: webhook.secret, PORT: String(port) },
  });
  onTestFinished(() => void child.kill());
  let printed = "";
  child.stdout.on("data", (chunk) => (printed += String(chunk)));
  const test = () => call<{ accepted: boolean }>(`POST /api/v1/webhooks/${webhook.id}/test`);
  await vi.waitUntil(async () => (await test()).body.accepted, { timeout: 20_000, interval: 100 });
  await click({ count: 3 });
  await run();
  await call(`POST /api/v1/webhooks/${webhook.id}/replay`, {
    since: "2020-01-01T00:00:00Z",
    state: "delivered",
  });
  await run();
  // A sample, which is one click however often it was sent, and three clicks.
  await vi.waitUntil(() => printed.trim().split("\n").length >= 4);
  expect(printed.trim().split("\n")).toEqual([
    "click.batch CH",
    ...Array<string>(3).fill("click.batch null"),
  ]);
});
