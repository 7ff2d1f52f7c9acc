/** The receiver of docs/webhooks.md, as it stands there, in a process of its own. */
import { spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findFreePort } from "@hopline/testkit/postgres/free-port";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { expect, it, onTestFinished } from "vitest";
import { openWebhookStage } from "./webhook-stage.ts";

const { addWebhook, click, call, run } = await openWebhookStage();

it("verifies, and handles each click once", async () => {
  const page = readFileSync(inWorkspace("docs/webhooks.md"), "utf8");
  const program = /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  // Two lines of formatting are not counted.
  expect(program.trim().split("\n").length).toBeLessThanOrEqual(22);
  const path = join(import.meta.dirname, `receiver-of-page-${process.pid}.ts`);
  writeFileSync(path, program);
  onTestFinished(() => rmSync(path));
  const port = await findFreePort();
  const webhook = await addWebhook({ url: `http://127.0.0.1:${port}/`, events: ["click"] });
  const child = spawn(process.execPath, [path], {
    env: { PATH: process.env["PATH"], SECRET: webhook.secret, PORT: String(port) },
  });
  onTestFinished(() => void child.kill());
  let printed = "";
  child.stdout.on("data", (chunk) => (printed += String(chunk)));
  const test = () => call<{ accepted: boolean }>(`POST /api/v1/webhooks/${webhook.id}/test`);
  await expect.poll(async () => (await test()).body.accepted).toBe(true);
  await click({ count: 3 });
  await run();
  await call(`POST /api/v1/webhooks/${webhook.id}/replay`, {
    since: "2020-01-01T00:00:00Z",
    state: "delivered",
  });
  await run();
  // A sample, which is one click however often it was sent, and three clicks.
  await expect
    .poll(() => printed.trim().split("\n"))
    .toEqual(["click.batch CH", ...Array<string>(3).fill("click.batch null")]);
});
