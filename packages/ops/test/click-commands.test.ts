/** `pnpm reconcile`, `pnpm dead-letters` and `pnpm publish-again` as a person meets them. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { insertDeadLetter } from "@hopline/db/ingest/insert-dead-letters";
import { createNeonClient } from "@hopline/db/neon-client";
import { seal } from "@hopline/sealing/seal";
import { importSealKey } from "@hopline/sealing/seal-key";
import type { CommandModule } from "@hopline/testkit/console/command-line";
import { runTool } from "@hopline/testkit/console/run-tool";
import { openScratchStack, type ScratchStack } from "@hopline/testkit/stack/scratch-stack";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";

import { callCommand } from "../../testkit/test/call-command.ts";
import * as deadLettersCommand from "../src/commands/dead-letters.ts";
import * as publishAgainCommand from "../src/commands/publish-again.ts";
import * as reconcileCommand from "../src/commands/reconcile.ts";

const SEAL_KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const VISITOR_SECRET = "a visitor secret of the command tests";
const T0 = Date.UTC(2026, 10, 20, 12);
const ISOLATE_ID = "00c0ffee00000001";
const LETTER_ID = "0198f3c2-0000-7000-8000-00000000000a";

let stack: ScratchStack;

beforeAll(async () => {
  stack = await openScratchStack();
});
afterAll(() => stack?.close());
beforeEach(() => {
  vi.stubEnv("DATABASE_URL", stack.databaseUrl);
  vi.stubEnv("SEAL_KEY", SEAL_KEY);
  vi.stubEnv("VISITOR_SECRET", VISITOR_SECRET);
  return () => vi.unstubAllEnvs();
});

const deadLetters = (...args: readonly string[]) => callCommand(deadLettersCommand, args);
const reconcile = (...args: readonly string[]) => callCommand(reconcileCommand, args);

describe("a segment that was only logged", () => {
  it("is counted when its line is imported, and only once", async () => {
    const line = `{"outcome":"ok","logs":[{"message":["{\\"event\\":\\"segment.logged\\",\\"sealed\\":\\"${await sealed(4, 3)}\\"}"]}]}`;
    const command = ["packages/ops/src/main.ts", "dead-letters", "import"];
    expect(await runTool("node", command, line)).toEqual({
      exitCode: 0,
      output: expect.stringContaining("3 clicks inserted, 0 were there already"),
    });
    expect(await runTool("node", [...command, "-"], line)).toEqual({
      exitCode: 0,
      output: expect.stringContaining("0 clicks inserted, 3 were there already"),
    });
  });

  it("leaves a gap that reconcile names, with exit code 1", async () => {
    const { exitCode, output } = await reconcile();
    expect(output).toMatch(/accepted +6\n +inserted +3\n +duplicate +3\n +rejected +0\n +missing +3\n/);
    expect(output).toContain("✗ 3 clicks are missing");
    expect(exitCode).toBe(1);
  });
});

describe("a dead letter", () => {
  it("is listed, shown to whoever has the key, replayed, and then everything adds up", async () => {
    await writeLetter();
    const listed = await deadLetters("list");
    expect(listed.output).toMatch(
      /^0198f3c2\S+ {2}2\S+Z {2}click_refused +3 clicks {2}23514 {2}hopline-clicks-0\n1 dead letters\.\n$/,
    );
    expect(listed.output).not.toMatch(/203\.0\.113|Mozilla/);
    expect((await reconcile("--json")).output).toContain('"rejected":3');

    const shown = await deadLetters("show", "0198f3c2");
    expect(JSON.parse(shown.output)).toMatchObject({
      id: LETTER_ID,
      body: { first: 1, clicks: [{ a: "203.0.113.0" }, {}, {}] },
    });

    const replayed = await deadLetters("replay", "0198f3c2");
    expect(replayed).toEqual({ exitCode: 0, output: expect.stringContaining("1 replayed, 0 still open.") });
    expect((await deadLetters("replay", "--all")).output).toBe("0 replayed, 0 still open.\n");
    const reconciled = await reconcile("--since", "2026-11-20", "--until", "2026-11-21");
    expect(reconciled).toEqual({ exitCode: 0, output: expect.stringContaining("✓ Everything adds up.") });
    expect((await deadLetters("list")).output).toBe("No dead letters.\n");
    expect((await deadLetters("list", "--all")).output).toContain("replayed");
  });
});

it("a run of k6 against a deployment is judged after it, by the same result as one on this machine", async () => {
  const directory = await mkdtemp(join(tmpdir(), "hopline-verdict-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const [summary, json] = [join(directory, "summary.json"), join(directory, "result.json")];
  const judge = async (redirects: number, ...more: readonly string[]) => {
    const metrics = {
      redirects: { count: redirects },
      "http_req_duration{scenario:steady}": { "p(95)": 21.5 },
    };
    await writeFile(summary, JSON.stringify({ metrics, root_group: {} }));
    const period = ["--since", "2026-11-20T12:00Z", "--until", "2026-11-20T12:15Z"];
    return runTool("node", ["load-tests/run/main.ts", "verdict", ...period, "--summary", summary, ...more]);
  };
  expect(await judge(6, "--json", json, "--env", "production", "--warm")).toEqual({
    exitCode: 0,
    output: expect.stringMatching(
      /✓ Every click counted once.*6 redirects = events[^]*Deployment +production/,
    ),
  });
  expect(JSON.parse(await readFile(json, "utf8"))).toMatchObject({
    environment: "production",
    startedAt: "2026-11-20T12:00:00.000Z",
    plan: { script: "redirect", target: "hopline", isCold: false },
    verdict: { isOk: true },
    redirects: 6,
    latency: { p95Ms: 21.5 },
    statements: null,
    stored: { events: 6, distinctEvents: 6, rolledUp: 6, inserted: 6, missing: 0, addsUp: true },
  });
  expect(
    await runTool("node", ["load-tests/run/main.ts", "verdict", "--since", "noon", "--summary", summary]),
  ).toEqual({ exitCode: 2, output: expect.stringContaining("--since must be an instant such as") });
});

describe("pnpm publish-again", () => {
  it("enqueues the addresses of a domain or of all, and nothing twice", async () => {
    const client = stack.database;
    await client.query("INSERT INTO workspaces (id, name) VALUES ($1, 'Test')", [LETTER_ID]);
    await client.query(
      `INSERT INTO domains (id, workspace_id, host, proof)
       SELECT gen_random_uuid(), $1, host, 'vouched' FROM unnest('{a.example,b.example}'::text[]) AS host`,
      [LETTER_ID],
    );
    await client.query(
      `INSERT INTO links (id, workspace_id, domain_id, slug, url, state, record)
       SELECT gen_random_uuid(), workspace_id, id, slug, 'https://example.com/', 'live', '{"format":1}'
       FROM domains, unnest('{in,out,ended}'::text[]) AS slug`,
    );
    await client.query("UPDATE links SET state = 'deleted' WHERE slug = 'ended'");
    await client.query("DELETE FROM work");
    const enqueued = async () => {
      const { rows } = await client.query<{ key: string }>(
        "SELECT key FROM work WHERE kind = 'publish-import' ORDER BY key",
      );
      return rows.map(({ key }) => key);
    };
    expect(await callCommand(publishAgainCommand, ["--domain", "c.example"])).toEqual({
      exitCode: 1,
      output: "✗ No address leads anywhere on c.example: check the name.\n",
    });
    expect(await callCommand(publishAgainCommand, ["--domain", "A.example"])).toEqual({
      exitCode: 0,
      output: expect.stringContaining(
        "3 addresses will be published after edits, within minutes of the next edit or click",
      ),
    });
    expect(await enqueued()).toEqual(["a.example/@", "a.example/in", "a.example/out"]);
    expect((await callCommand(publishAgainCommand, [])).output).toContain("6 addresses will be published");
    expect((await enqueued()).length).toBe(6);
  });
});

describe("the commands say what to do", () => {
  it.each<[string, CommandModule, readonly string[], Record<string, string>, number, RegExp]>([
    [
      "about a range that ends before it begins",
      reconcileCommand,
      ["--since", "2026-11-22", "--until", "2026-11-21"],
      {},
      2,
      /^✗ --since is later than --until/,
    ],
    [
      "about an unknown letter",
      deadLettersCommand,
      ["show", "ffff"],
      {},
      1,
      /^✗ There is no dead letter ffff/,
    ],
    [
      "about what is not an id",
      deadLettersCommand,
      ["show", "x"],
      {},
      2,
      /^✗ "x" is not the id of a dead letter/,
    ],
    [
      "without the key",
      deadLettersCommand,
      ["replay", "--all"],
      { SEAL_KEY: "" },
      1,
      /^✗ SEAL_KEY is not set/,
    ],
    [
      "about a wrong key",
      deadLettersCommand,
      ["replay", "--all"],
      { SEAL_KEY: "short" },
      1,
      /^✗ SEAL_KEY is not base64 of 32 bytes/,
    ],
    [
      "without the visitors' secret",
      deadLettersCommand,
      ["replay", "--all"],
      { VISITOR_SECRET: "" },
      1,
      /^✗ VISITOR_SECRET is not set/,
    ],
    [
      "about a log without a segment",
      deadLettersCommand,
      ["import", "package.json"],
      {},
      1,
      /^✗ There is no sealed segment in this log/,
    ],
  ])("%s", async (_name, command, args, env, exitCode, message) => {
    const called = await callCommand(command, args, env);
    expect(called.output).toMatch(message);
    expect(called.output.trim().split("\n")).toHaveLength(1);
    expect(called.exitCode).toBe(exitCode);
  });
});

/** A sealed segment in its wire format. */
async function sealed(first: number, count: number): Promise<string> {
  const click = { l: "0198f3c2-a1b2-7c3d-8e4f-5a6b7c8d9e0f", v: 1, a: "203.0.113.0", u: "Mozilla/5.0 (X11)" };
  const clicks = Array.from({ length: count }, (_, index) => ({ t: T0 + first + index, ...click }));
  const segment = JSON.stringify({ format: 1, isolate: ISOLATE_ID, first, clicks });
  return seal(segment, await importSealKey(SEAL_KEY));
}

async function writeLetter(): Promise<void> {
  const runSql = createNeonClient({ databaseUrl: stack.databaseUrl, sqlEndpoint: stack.sqlEndpoint.url });
  const entry = {
    isolateId: ISOLATE_ID,
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
      kind: "click_refused",
      reason: "23514",
      source: "hopline-clicks-0",
      sealedBody: await sealed(1, 3),
      clicks: { firstSequence: 1, count: 3, segment: entry },
    },
    30_000,
  );
}
