/** `pnpm reconcile` and `pnpm dead-letters` as a person meets them. */
import { spawn } from "node:child_process";
import { join } from "node:path";

import { encodeSegment } from "@hopline/core/click/segment";
import { insertDeadLetter } from "@hopline/db/ingest/insert-dead-letters";
import { createNeonClient } from "@hopline/db/neon-client";
import { seal } from "@hopline/sealing/seal";
import { importSealKey } from "@hopline/sealing/seal-key";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openScratchStack, type ScratchStack } from "@hopline/testkit/stack/scratch-stack";

const COMMANDS = join(import.meta.dirname, "../src/commands");
const SEAL_KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const SECRETS = { SEAL_KEY, VISITOR_SECRET: "a visitor secret of the command tests" };
const T0 = Date.UTC(2026, 10, 20, 12);
const LETTER_ID = "0198f3c2-0000-7000-8000-00000000000a";

let stack: ScratchStack;

beforeAll(async () => {
  stack = await openScratchStack();
}, 60_000);
afterAll(() => stack?.close());

describe("a segment that was only logged", () => {
  it("is missing nowhere and inserted nowhere, until its line is imported; then it is counted, once", async () => {
    const line = `{"outcome":"ok","logs":[{"message":["{\\"event\\":\\"segment.logged\\",\\"sealed\\":\\"${await sealed(4, 3)}\\"}"]}]}`;
    const first = await run("dead-letters.ts", ["import"], { ...SECRETS }, line);
    expect(first).toEqual({
      code: 0,
      output: expect.stringContaining("3 clicks inserted, 0 were there already"),
    });
    const again = await run("dead-letters.ts", ["import", "-"], { ...SECRETS }, line);
    expect(again).toEqual({
      code: 0,
      output: expect.stringContaining("0 clicks inserted, 3 were there already"),
    });
  });

  it("leaves a gap that reconcile names, with exit code 1", async () => {
    const { code, output } = await run("reconcile.ts", []);
    expect(output).toMatch(
      /accepted +6\n +inserted +3\n +duplicate +3\n +rejected +0\n +dead-lettered +0\n +missing +3\n/,
    );
    expect(output).toContain("✗ 3 clicks are missing");
    expect(code).toBe(1);
  });
});

describe("a dead letter", () => {
  it("is listed, shown to who has the key, replayed, and then everything adds up", async () => {
    await writeLetter();
    const listed = await run("dead-letters.ts", ["list"]);
    expect(listed.output).toMatch(
      /^0198f3c2\S+ {2}2\S+Z {2}segment_exhausted +3 clicks {2}out_of_tries {2}hopline-clicks-dead\n1 dead letters\.\n$/,
    );
    expect(listed.output).not.toMatch(/203\.0\.113|Mozilla/);
    expect((await run("reconcile.ts", ["--json"])).output).toContain('"deadLettered":3');

    const shown = await run("dead-letters.ts", ["show", "0198f3c2"], { SEAL_KEY });
    expect(JSON.parse(shown.output)).toMatchObject({
      id: LETTER_ID,
      body: { first: 1, clicks: [{ a: "203.0.113.0" }, {}, {}] },
    });

    const replayed = await run("dead-letters.ts", ["replay", "--all"], SECRETS);
    expect(replayed).toEqual({ code: 0, output: expect.stringContaining("1 replayed, 0 still open.") });
    const reconciled = await run("reconcile.ts", ["--since", "2026-11-20", "--until", "2026-11-21"]);
    expect(reconciled).toEqual({ code: 0, output: expect.stringContaining("✓ Everything adds up.") });
    expect((await run("dead-letters.ts", ["list"])).output).toBe("No dead letters.\n");
    expect((await run("dead-letters.ts", ["list", "--all"])).output).toContain("replayed");
  });
});

describe("the commands say what to do", () => {
  const nowhere = { DATABASE_URL: "" };
  it.each<[string, string, readonly string[], Record<string, string>, RegExp]>([
    ["without a database", "reconcile.ts", [], nowhere, /^✗ DATABASE_URL is not set\. Usage: /],
    [
      "about a wrong instant",
      "reconcile.ts",
      ["--since", "yesterday"],
      {},
      /^✗ --since must be an instant such as 2026-11-21/,
    ],
    [
      "about a range that is none",
      "reconcile.ts",
      ["--since", "2026-11-22", "--until", "2026-11-21"],
      {},
      /^✗ --since lies after --until/,
    ],
    ["without a verb", "dead-letters.ts", [], {}, /^✗ Say what to do\. Usage: pnpm dead-letters list/],
    [
      "about a letter that is not there",
      "dead-letters.ts",
      ["show", "ffff"],
      { SEAL_KEY },
      /^✗ There is no dead letter ffff/,
    ],
    ["without the key", "dead-letters.ts", ["replay", "--all"], {}, /^✗ SEAL_KEY is not set/],
    [
      "about a key that is none",
      "dead-letters.ts",
      ["replay", "--all"],
      { SEAL_KEY: "short" },
      /^✗ SEAL_KEY is not base64 of 32 bytes/,
    ],
    [
      "without the visitors' secret",
      "dead-letters.ts",
      ["replay", "--all"],
      { SEAL_KEY },
      /^✗ VISITOR_SECRET is not set/,
    ],
    [
      "about a log without a segment",
      "dead-letters.ts",
      ["import"],
      SECRETS,
      /^✗ There is no sealed segment in this log/,
    ],
  ])("%s", async (_name, command, args, env, message) => {
    const { code, output } = await run(command, args, env);
    expect(output).toMatch(message);
    expect(output.trim().split("\n")).toHaveLength(1);
    expect(code).toBe(1);
  });
});

function segment(firstSequence: number, clicks: number) {
  const click = {
    linkId: "0198f3c2-a1b2-7c3d-8e4f-5a6b7c8d9e0f",
    linkVersion: 1,
    source: "link" as const,
    method: "GET" as const,
    address: "203.0.113.0",
    userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
    referrer: null,
    acceptLanguage: null,
    purpose: null,
    optedOut: false,
    country: null,
    region: null,
    city: null,
    continent: null,
    latitude: null,
    longitude: null,
    colo: null,
    asn: null,
    botScore: null,
  };
  return {
    isolateId: "00c0ffee00000001",
    firstSequence,
    clicks: Array.from({ length: clicks }, (_, index) => ({
      ...click,
      clickedAtMs: T0 + firstSequence + index,
    })),
  };
}

async function sealed(firstSequence: number, clicks: number): Promise<string> {
  return seal(encodeSegment(segment(firstSequence, clicks)), await importSealKey(SEAL_KEY));
}

async function writeLetter(): Promise<void> {
  const runSql = createNeonClient({ databaseUrl: stack.databaseUrl, sqlEndpoint: stack.sqlEndpoint.url });
  const entry = {
    isolateId: "00c0ffee00000001",
    firstSequence: 1,
    clickCount: 3,
    sentCount: 3,
    deliveries: 1,
    receivedAtMs: T0,
    firstClickedAtMs: T0 + 1,
    lastClickedAtMs: T0 + 3,
  };
  await insertDeadLetter(
    runSql,
    {
      id: LETTER_ID,
      kind: "segment_exhausted",
      reason: "out_of_tries",
      source: "hopline-clicks-dead",
      sealedBody: await sealed(1, 3),
      clicks: { firstSequence: 1, count: 3, segment: entry },
    },
    30_000,
  );
}

function run(
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
  input = "",
): Promise<{ readonly code: number | null; readonly output: string }> {
  const { SEAL_KEY: _, VISITOR_SECRET: __, ...rest } = process.env;
  const child = spawn(process.execPath, [join(COMMANDS, command), ...args], {
    env: { ...rest, DATABASE_URL: stack.databaseUrl, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  // A command that needs no input ends without reading it.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  return new Promise((resolve) => {
    child.once("close", (code) => resolve({ code, output }));
  });
}
