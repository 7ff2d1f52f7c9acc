/**
 * Everything that can fail fails, in turn, under visitors who never stop: the production bundles in workerd, their
 * queues and KV, and a Postgres of this file's own (also with DATABASE_URL set: a server that is not ours is never stopped).
 *
 * Nothing is settled between two faults. At the end each redirect is one event or one dead letter, the rollups say the
 * same, nothing is missing, and `pnpm reconcile` ends with 0.
 */
import { readFileSync } from "node:fs";
import { openSealed } from "@hopline/sealing/seal";
import { importSealKey } from "@hopline/sealing/seal-key";
import type { SqlFault } from "@hopline/testkit/sql-endpoint/sql-fault";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startVisitors, type Visitors } from "./chaos/steady-visitors.ts";
import { createWorkerFaults, type CrashPoint } from "./chaos/worker-faults.ts";
import { type LocalStack, openLocalStack } from "./local-stack.ts";
import { type CommandResult, runCommand } from "./run-command.ts";

const CONSUMER = "hopline-consumer";
const SLUGS = ["hello", "docs", "grüße", "🚀"];
const POISON_HOST = "poison.example";
const USER_AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
const ADDRESSES = ["203.0.113.77", "2001:db8:77:1::5"];
/** What must not be found anywhere: the edge's truncated forms included. */
const RAW_FACTS = ["203.0.113", "2001:db8", "Firefox/145", "Mozilla", "today?id=7"];
const DUPLICATES = `SELECT (SELECT COALESCE(sum(duplicates), 0) FROM segment_ledger)
  + (SELECT COALESCE(sum(duplicates), 0) FROM ledger_sums)`;
/** For `vi.waitFor`: a bound against hanging, not a verdict. */
const PATIENCE = { timeout: 60_000, interval: 50 };
const NEVER_A_SEGMENT = '{"format":1,"isolate":"none"}';

const faults = createWorkerFaults();
let stack: LocalStack;
let visitors: Visitors;
let isPoisonMixedIn = false;
let poison = 0;
let optedOut = 0;

beforeAll(async () => {
  stack = await openLocalStack({
    hasOwnServer: true,
    furtherIsolates: [{}],
    arrange: faults.arrange,
  });
  await stack.database.query(
    `ALTER TABLE click_events ADD CONSTRAINT no_poison CHECK (referrer_host <> '${POISON_HOST}')`,
  );
  visitors = startVisitors({
    origins: [stack.url, ...stack.runtime.furtherUrls],
    host: stack.demo.host,
    slugs: SLUGS,
    visitorsAtOnce: 6,
    pauseMs: 40,
    headersOf,
  });
});

afterAll(async () => {
  await visitors?.stop();
  await stack?.close();
});

describe("visitors are redirected, and their clicks survive", () => {
  it("a good day", async () => {
    const before = await countEvents();
    await vi.waitFor(async () => expect(await countEvents()).toBeGreaterThan(before + 100), PATIENCE);
  });

  it.each<[string, SqlFault]>([
    ["a /sql that answers 500", { kind: "status", status: 500, message: "down" }],
    ["connections reset before the statement", { kind: "reset" }],
    ["answers lost after the commit", { kind: "execute-then-reset" }],
  ])("%s", async (_name, fault) => {
    const retriedBefore = countLines("batch.retried");
    stack.sqlEndpoint.setFault(() => fault);
    await vi.waitFor(
      () => expect(countLines("batch.retried")).toBeGreaterThanOrEqual(retriedBefore + 4),
      PATIENCE,
    );
    stack.sqlEndpoint.setFault(null);
    await untilClicksArrive();
  });

  it("a /sql that hangs until the consumer loses patience, and a shard that refuses meanwhile", async () => {
    const retriedBefore = countLines("batch.retried");
    stack.sqlEndpoint.setFault(() => ({ kind: "hang" }));
    faults.setSendFault((shard) => (shard === "CLICKS_1" ? "refused" : null));
    await vi.waitFor(() => expect(countLines("batch.retried")).toBeGreaterThan(retriedBefore + 2), PATIENCE);
    await vi.waitFor(() => expect(faults.counts().refused).toBeGreaterThan(5), PATIENCE);
    faults.setSendFault(null);
    stack.sqlEndpoint.setFault(null);
    await untilClicksArrive();
  });

  it.each(["fast", "crash"] as const)("a Postgres that goes down (%s) and comes back", async (how) => {
    const retriedBefore = countLines("batch.retried");
    await stack.postgres?.halt(how);
    await vi.waitFor(
      () => expect(countLines("batch.retried")).toBeGreaterThanOrEqual(retriedBefore + 4),
      PATIENCE,
    );
    await stack.postgres?.start();
    await untilClicksArrive();
  });

  it("a shard that takes a segment and says it did not", async () => {
    faults.setSendFault(() => (visitors.redirects() % 2 === 0 ? "accepted_and_denied" : null));
    await vi.waitFor(() => expect(faults.counts().accepted_and_denied).toBeGreaterThan(10), PATIENCE);
    faults.setSendFault(null);
  });

  it("the same message three times", async () => {
    const before = await count(DUPLICATES);
    faults.setSendFault(() => "delivered_three_times");
    await vi.waitFor(() => expect(faults.counts().delivered_three_times).toBeGreaterThan(10), PATIENCE);
    faults.setSendFault(null);
    await vi.waitFor(async () => expect(await count(DUPLICATES)).toBeGreaterThan(before + 20), PATIENCE);
  });

  it.each<CrashPoint>(["before_the_statement", "during_the_statement", "after_the_commit"])(
    "a consumer that crashes in mid-batch: %s",
    async (point) => {
      stack.sqlEndpoint.setFault(({ statements }) => {
        const isInsert = statements.some(({ query }) => query.includes("INSERT INTO click_events"));
        if (isInsert && point === "during_the_statement") {
          faults.statementStarted();
          return { kind: "delay", delayMs: 50 };
        }
        return null;
      });
      await expect(faults.crashNextBatch(point)).resolves.toBeUndefined();
      stack.sqlEndpoint.setFault(null);
    },
  );

  it("shards that all refuse: the spill is drained by the scheduled job, by two of them at once", async () => {
    faults.setSendFault(() => "refused");
    await vi.waitFor(() => expect(countLines("segment.spilled")).toBeGreaterThan(10), PATIENCE);
    faults.setSendFault(null);
    const spilled = await listSpill();
    expect(spilled.length).toBeGreaterThan(0);
    const text = (await (await stack.runtime.getKv("SPILL")).get(spilled[0] ?? "", "text")) ?? "";
    expect(await openSealed(text, await importSealKey(await readSealKey()))).toMatchObject({ ok: true });
    await untilSpillIsEmpty();
  });

  it("a spill that refuses too: what is left is in the log, for `pnpm dead-letters import`", async () => {
    faults.setSendFault(() => "refused");
    faults.setSpillRefusing(true);
    const loggedBefore = countLines("segment.logged");
    await vi.waitFor(() => expect(countLines("segment.logged")).toBeGreaterThan(loggedBefore + 5), PATIENCE);
    faults.setSendFault(null);
    faults.setSpillRefusing(false);
    expect(faults.counts().spill_refused).toBeGreaterThan(0);
  });

  it("poison rows among the others, and a message that is no segment", async () => {
    const { CLICKS_2 } = await stack.runtime.getBindings<Record<string, Queue>>("hopline-producer");
    isPoisonMixedIn = true;
    await vi.waitFor(() => expect(poison).toBeGreaterThan(20), PATIENCE);
    isPoisonMixedIn = false;
    await CLICKS_2?.send(NEVER_A_SEGMENT, { contentType: "text" });
    await vi.waitFor(
      async () => expect(await count("SELECT count(*) FROM dead_letters")).toBeGreaterThan(5),
      PATIENCE,
    );
  });
});

describe("at the end", () => {
  it("every visit was a redirect, and each is one event or one dead letter", async () => {
    await visitors.stop();
    expect(visitors.answers()).toEqual({ 302: expect.any(Number) });
    // What is under way has a shard, the spill or the log for sure when its attempts have ended; until then it is missing.
    await untilSpillIsEmpty();
    const imported = await run("dead-letters", ["import"], stack.logLines.join("\n"));
    expect(imported).toEqual({ code: 0, output: expect.stringMatching(/\d+ imported, 0 not\./) });
    expect(imported.output).toMatch(/^✓ segment \d+ {2}[1-9]\d* clicks inserted, 0 were there already/m);

    const counted = visitors.redirects() - poison;
    await vi.waitFor(async () => {
      await stack.runtime.runJobs(CONSUMER);
      expect(await countEvents()).toBe(counted);
    }, PATIENCE);
    expect(await stack.runtime.drain(20_000)).toBe(0);
    expect(await countEvents()).toBe(counted);
    expect(await count("SELECT count(DISTINCT event_id) FROM click_events")).toBe(counted);
    expect(await count("SELECT sum(clicks) FROM click_rollups")).toBe(counted);
    expect(await countLetters()).toEqual({ click_refused: poison, message_undecodable: 1 });
  });

  it("`pnpm reconcile` says that all adds up, and exits with 0", async () => {
    const { code, output } = await run("reconcile", ["--json"]);
    expect(JSON.parse(output)).toMatchObject({
      isolates: 2,
      accepted: visitors.redirects(),
      inserted: visitors.redirects() - poison,
      rejected: poison,
      missing: 0,
      rollupDifference: 0,
      eventDifference: 0,
      addsUp: true,
    });
    expect(code).toBe(0);
    expect(await count(DUPLICATES)).toBeGreaterThan(0);
    const halfSettled = "SELECT count(*) FROM segment_ledger WHERE inserted + rejected <> click_count";
    expect(await count(halfSettled)).toBe(0);
  });

  it("each query of docs/observability.md finds its lines in what the Workers have logged, and numbers in them", () => {
    const lines = stack.logLines.flatMap(toLogLines);
    const page = readFileSync(inWorkspace("docs/observability.md"), "utf8");
    const queries = [
      ...page.matchAll(/^\| .*\? +\| `(event = .*?)` +\| `(\w+)` +\| `(\w+)(?:\((\w+)\))?` +\|$/gm),
    ];
    expect(queries).toHaveLength(10);
    const unanswered = queries.filter(([, filter = "", group = "", , field = group]) => {
      const found = lines.filter((line) => filter.split(", ").every((one) => isTrueOf(line, one)));
      return (
        found.length === 0 || found.some((line) => line[group] === undefined || line[field] === undefined)
      );
    });
    expect(unanswered.map(([row]) => row)).toEqual([]);
  });

  it("no table, log line or dead letter holds an address or a user agent", async () => {
    const tables = await stack.database.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    );
    expect(tables.rows.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["click_events", "click_rollups", "segment_ledger", "dead_letters"]),
    );
    for (const { name } of tables.rows) {
      const rows = await stack.database.query<{ text: string }>(
        `SELECT one::text AS text FROM ${name} AS one`,
      );
      // A row's text has every column, of whatever type; bytes also as the characters that they may hide.
      const text = rows.rows.map((row) => `${row.text}\n${fromHex(row.text)}`).join("\n");
      expect([name, RAW_FACTS.filter((fact) => text.includes(fact))]).toEqual([name, []]);
    }
    const log = stack.logLines.join("\n");
    expect(RAW_FACTS.filter((fact) => log.includes(fact))).toEqual([]);
  });

  it("visitors who asked not to be tracked have neither a hash nor a city; the others have both", async () => {
    expect(await count("SELECT count(*) FROM click_events WHERE visitor IS NULL")).toBe(optedOut);
    expect(await count("SELECT count(*) FROM click_events WHERE visitor IS NULL AND city IS NOT NULL")).toBe(
      0,
    );
    // Three in eight come through the front door, which says where they are, and have not opted out.
    expect(await count("SELECT count(*) FROM click_events WHERE city = 'Berlin'")).toBeGreaterThan(optedOut);
  });

  it("a row that is taken away is noticed by `pnpm reconcile`, with exit code 1", async () => {
    const taken = await stack.database.query(
      "DELETE FROM click_events WHERE event_id = (SELECT max(event_id::text)::uuid FROM click_events) RETURNING *",
    );
    expect(taken.rowCount).toBe(1);
    const { code, output } = await run("reconcile", ["--json"]);
    // One in the links' rollup, one in the workspaces'.
    expect(JSON.parse(output)).toMatchObject({ eventDifference: -1, rollupDifference: 2, addsUp: false });
    expect(code).toBe(1);
    const columns = Object.keys(taken.rows[0]);
    await stack.database.query(
      `INSERT INTO click_events (${columns.join(", ")}) VALUES (${columns.map((_, index) => `$${index + 1}`).join(", ")})`,
      Object.values(taken.rows[0]),
    );
  });

  it("the refused clicks are replayed once their cause is gone, and every visit is an event", async () => {
    await stack.database.query("ALTER TABLE click_events DROP CONSTRAINT no_poison");
    const replayed = await run("dead-letters", ["replay", "--all"]);
    // The message that is no segment stays for a person.
    expect(replayed).toEqual({
      code: 1,
      output: expect.stringContaining(`${poison} replayed, 1 still open.`),
    });
    expect(await countEvents()).toBe(visitors.redirects());
    const { code, output } = await run("reconcile", ["--json"]);
    expect(JSON.parse(output)).toMatchObject({ inserted: visitors.redirects(), rejected: 0, addsUp: true });
    expect(code).toBe(0);
  });
});

/** Two visits in eight are of somebody who opted out; while poison is mixed in, one in eight is poison. */
function headersOf(visit: number): Readonly<Record<string, string>> {
  const isPoison = isPoisonMixedIn && visit % 8 === 0;
  const wish = visit % 8 === 1 ? { "sec-gpc": "1" } : visit % 8 === 6 ? { dnt: "1" } : null;
  poison += isPoison ? 1 : 0;
  optedOut += wish === null ? 0 : 1;
  return {
    "user-agent": USER_AGENT,
    "cf-connecting-ip": ADDRESSES[visit % ADDRESSES.length] ?? "",
    referer: isPoison ? `https://${POISON_HOST}/` : "https://news.example/today?id=7",
    ...wish,
  };
}

function countLines(event: string): number {
  return stack.logLines.filter((line) => line.includes(`"event":"${event}"`)).length;
}

async function count(statement: string): Promise<number> {
  const { rows } = await stack.database.query<Record<string, unknown>>(statement);
  return Number(Object.values(rows[0] ?? {})[0]);
}

function countEvents(): Promise<number> {
  return count("SELECT count(*) FROM click_events");
}

async function countLetters(): Promise<Readonly<Record<string, number>>> {
  const { rows } = await stack.database.query<{ kind: string; count: number }>(
    "SELECT kind, count(*)::int AS count FROM dead_letters GROUP BY kind",
  );
  return Object.fromEntries(rows.map((row) => [row.kind, row.count]));
}

/** After a fault: the consumer is at work again. The backlog need not be gone. */
async function untilClicksArrive(): Promise<void> {
  const before = await countEvents();
  await vi.waitFor(async () => expect(await countEvents()).toBeGreaterThan(before), PATIENCE);
}

function fromHex(text: string): string {
  return text.replaceAll(/\\x([0-9a-f]+)/g, (_, hex: string) => Buffer.from(hex, "hex").toString("latin1"));
}

async function listSpill(): Promise<readonly string[]> {
  const { keys } = await (await stack.runtime.getKv("SPILL")).list();
  return keys.map(({ name }) => name);
}

async function untilSpillIsEmpty(): Promise<void> {
  await vi.waitFor(async () => {
    const drain = () => stack.runtime.runJobs(CONSUMER);
    await Promise.all([drain(), drain()]);
    expect(await listSpill()).toEqual([]);
  }, PATIENCE);
}

async function readSealKey(): Promise<string> {
  return (await stack.runtime.getBindings<{ readonly SEAL_KEY: string }>(CONSUMER)).SEAL_KEY;
}

async function run(name: string, args: readonly string[], input?: string): Promise<CommandResult> {
  const { SEAL_KEY, VISITOR_SECRET } = await stack.runtime.getBindings<{
    readonly SEAL_KEY: string;
    readonly VISITOR_SECRET: string;
  }>(CONSUMER);
  const environment = { DATABASE_URL: stack.databaseUrl, SEAL_KEY, VISITOR_SECRET };
  return runCommand(name, args, { environment, ...(input === undefined ? {} : { input }) });
}

type Queue = { send(body: string, options: { readonly contentType: "text" }): Promise<unknown> };

type LogLine = { readonly [field: string]: unknown };

/** The Workers' own lines, without what the runtime says. */
function toLogLines(text: string): readonly LogLine[] {
  return text.startsWith('{"event":') ? [JSON.parse(text) as LogLine] : [];
}

/** `event = batch.inserted`, `refused > 0`. */
function isTrueOf(line: LogLine, condition: string): boolean {
  const [field = "", operator, wanted] = condition.split(" ");
  return operator === ">" ? Number(line[field]) > Number(wanted) : line[field] === wanted;
}
