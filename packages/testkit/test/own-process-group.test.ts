/** How a command that is started as `npx pnpm …` ends. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { waitUntil } from "./wait-until.ts";

const COMMAND = fileURLToPath(new URL("./fixtures/start-in-own-group.ts", import.meta.url));
/** As npx does it: a shell below it, to which it passes nothing on here. */
const NPX = `
  process.title = "npm exec it";
  require("node:child_process").spawn("sh", ["-c", '"$0" "$1"; exit', process.execPath, ${JSON.stringify(COMMAND)}], { stdio: "inherit" });`;

it.each(["SIGTERM", "SIGKILL"] as const)(
  "ends a command whose npx got %s, and passed it to nobody",
  async (signal) => {
    const npx = spawn(process.execPath, ["-e", NPX], { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    npx.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    await waitUntil("the command is at work", () => output.includes("at work"));
    npx.kill(signal);
    await waitUntil("its work has ended", () => output.includes("ended"));
    expect(output).toMatch(/^at work \d+\nended\n$/);
  },
);
