/** How a command that is started as `npx pnpm …` ends, and what it has started with it. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { isPortFree } from "../src/postgres/free-port.ts";
import { waitUntil } from "./wait-until.ts";

const COMMAND = fileURLToPath(new URL("./fixtures/start-in-own-group.ts", import.meta.url));
/** As npx does it: a shell below it, to which it passes nothing on here. */
const NPX = `
  process.title = "npm exec it";
  require("node:child_process").spawn("sh", ["-c", '"$0" "$1"; exit', process.execPath, ${JSON.stringify(COMMAND)}], { stdio: "inherit" });`;

it.each([
  ["npx", "SIGTERM"],
  ["npx", "SIGKILL"],
  ["who has the terminal", "SIGKILL"],
  ["who does the work", "SIGKILL"],
] as const)(
  "ends with all that it has started if %s gets %s, and passes it to no other process",
  async (who, signal) => {
    const npx = spawn(process.execPath, ["-e", NPX], { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    npx.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    await waitUntil("the command is at work", () => /at work \d+ \d+ \d+\n/.test(output));
    const [terminal = 0, work = 0, port = 0] = output.match(/\d+/g)?.map(Number) ?? [];
    const ids = { npx: npx.pid, "who has the terminal": terminal, "who does the work": work };
    process.kill(ids[who] ?? 0, signal);
    await waitUntil("nothing listens any more", () => isPortFree(port));
    const isInOrder = who !== "who does the work";
    await waitUntil("its work has ended", () => !isInOrder || output.endsWith("\nended\n"));
    expect(output).toMatch(isInOrder ? /^at work [\d ]+\nended\n$/ : /^at work [\d ]+\n$/);
  },
);
