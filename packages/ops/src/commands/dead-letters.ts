/**
 * `pnpm dead-letters list|show|replay|import`: the clicks that could not be counted, and how they are counted after all.
 *
 * Bodies are opened with SEAL_KEY and shown to the operator who has it. With VISITOR_SECRET, replayed clicks belong to the same
 * visitors as if the consumer had written them.
 */
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";

import { createClickHouse } from "@hopline/clickhouse/clickhouse-client";
import {
  createReplayDeps,
  findSealedTexts,
  openBody,
  replayBody,
  type Replayed,
  type ReplayDeps,
} from "@hopline/consumer/dead-letters/replay";
import {
  findDeadLetters,
  listDeadLetters,
  markReplayed,
  type StoredLetter,
} from "@hopline/db/ledger/find-dead-letters";
import type { RunSql } from "@hopline/db/neon-client";
import { importSealKeys, type SealKeys } from "@hopline/sealing/seal-key";
import { Failure, UsageFailure } from "@hopline/testkit/console/failure";
import { consoleProgress } from "@hopline/testkit/console/progress";
import { defineCommand } from "citty";

import { withDirectSql } from "../operate/direct-sql.ts";

const TIMEOUT_MS = 60_000;
const LIMIT = 10_000;
const progress = consoleProgress();

const withoutVisitors = {
  type: "boolean",
  default: false,
  description: "Go on without VISITOR_SECRET: the clicks have no visitor",
} as const;

export const example = "DATABASE_URL=… SEAL_KEY=… VISITOR_SECRET=… pnpm dead-letters replay --all";
export const exitCodes = { 1: "failed, or a dead letter is still open" };

export default defineCommand({
  meta: {
    name: "pnpm dead-letters",
    description: "Lists, shows and replays clicks that could not be counted",
  },
  subCommands: {
    list: defineCommand({
      meta: { name: "list", description: "One line for each dead letter that is open" },
      args: { all: { type: "boolean", default: false, description: "Those that were replayed, too" } },
      run: ({ args }) => withDirectSql((runSql) => list(runSql, args.all)),
    }),
    show: defineCommand({
      meta: { name: "show", description: "A dead letter with its clicks; needs SEAL_KEY" },
      args: {
        id: { type: "positional", required: true, description: "Its id, or at least the first four digits" },
      },
      run: ({ args }) => withDirectSql(async (runSql) => show(await findOne(runSql, args.id))),
    }),
    replay: defineCommand({
      meta: { name: "replay", description: "Counts dead letters; needs SEAL_KEY and VISITOR_SECRET" },
      args: {
        "id...": { type: "positional", required: false, description: "Ids, or their first digits" },
        all: { type: "boolean", default: false, description: "All that are open" },
        "without-visitors": withoutVisitors,
      },
      run({ args }) {
        if (args.all === args._.length > 0) {
          throw new UsageFailure("Say which letters to replay: their ids, or --all.");
        }
        return withDirectSql(async (runSql) => {
          const letters = await (args.all ? findOpen(runSql) : findAll(runSql, args._));
          return replayLetters(runSql, letters, await createDeps(runSql, args["without-visitors"]));
        });
      },
    }),
    import: defineCommand({
      meta: { name: "import", description: "Counts sealed segments in a log; needs the same two secrets" },
      args: {
        file: { type: "positional", default: "-", description: "The log; - is standard input" },
        "without-visitors": withoutVisitors,
      },
      async run({ args }) {
        const log = await readLog(args.file);
        return withDirectSql(async (runSql) =>
          importLog(log, await createDeps(runSql, args["without-visitors"])),
        );
      },
    }),
  },
});

async function list(runSql: RunSql, withReplayed: boolean): Promise<number> {
  const letters = await listDeadLetters(runSql, { withReplayed, limit: LIMIT }, TIMEOUT_MS);
  for (const letter of letters) {
    const clicks = letter.clickCount === null ? "?" : String(letter.clickCount);
    const state = letter.replayedAtMs === null ? "" : "  replayed";
    progress.line(
      `${letter.id}  ${toText(letter.createdAtMs)}  ${letter.kind.padEnd(19)} ${clicks.padStart(3)} clicks  ${letter.reason}  ${letter.source}${state}`,
    );
  }
  progress.line(letters.length === 0 ? "No dead letters." : `${letters.length} dead letters.`);
  return 0;
}

async function show(letter: StoredLetter): Promise<number> {
  const body = await openBody(letter.sealedBody, await readSealKeys());
  if (body === null) {
    throw new Failure(
      `SEAL_KEY does not open ${letter.id}: it was sealed with another key. If the key was rotated, set SEAL_KEY_OLD to the one before.`,
    );
  }
  const { sealedBody: _, createdAtMs, replayedAtMs, ...facts } = letter;
  const instants = {
    createdAt: toText(createdAtMs),
    replayedAt: replayedAtMs === null ? null : toText(replayedAtMs),
  };
  progress.line(JSON.stringify({ ...facts, ...instants, body: parseOrText(body) }, null, 2));
  return 0;
}

async function replayLetters(
  runSql: RunSql,
  letters: readonly StoredLetter[],
  deps: ReplayDeps,
): Promise<number> {
  let open = 0;
  for (const letter of letters) {
    const replayed = await replayBody(letter.sealedBody, letter.ledger, deps);
    // The refused clicks of a segment have letters of their own now; a click that is refused again has only this one.
    const isDone = replayed.kind === "written" && (replayed.refused === 0 || letter.kind !== "click_refused");
    if (isDone) {
      await markReplayed(runSql, letter.id, TIMEOUT_MS);
    }
    open += isDone ? 0 : 1;
    progress.line(`${isDone ? "✓" : "✗"} ${letter.id}  ${describe(replayed)}`);
  }
  progress.line(`${letters.length - open} replayed, ${open} still open.`);
  return open === 0 ? 0 : 1;
}

async function importLog(log: string, deps: ReplayDeps): Promise<number> {
  const sealedTexts = findSealedTexts(log);
  if (sealedTexts.length === 0) {
    throw new Failure(
      "There is no sealed segment in this log: lines with segment.logged or message.unstored have one.",
    );
  }
  let failures = 0;
  for (const [index, sealedText] of sealedTexts.entries()) {
    const replayed = await replayBody(sealedText, null, deps);
    failures += replayed.kind === "written" ? 0 : 1;
    progress.line(`${replayed.kind === "written" ? "✓" : "✗"} segment ${index + 1}  ${describe(replayed)}`);
  }
  progress.line(`${sealedTexts.length - failures} imported, ${failures} not.`);
  return failures === 0 ? 0 : 1;
}

function describe(replayed: Replayed): string {
  switch (replayed.kind) {
    case "written": {
      const known = replayed.clicks - replayed.inserted - replayed.refused;
      const refused = replayed.refused === 0 ? "" : `, ${replayed.refused} refused by the database again`;
      return `${replayed.inserted} clicks inserted, ${known} were there already${refused}`;
    }
    case "unreadable":
      return replayed.why;
    case "failed":
      return `the database did not accept it${replayed.sqlState === null ? "" : ` (${replayed.sqlState})`}: try again`;
  }
}

function findOpen(runSql: RunSql): Promise<readonly StoredLetter[]> {
  return listDeadLetters(runSql, { withReplayed: false, limit: LIMIT }, TIMEOUT_MS);
}

async function findAll(runSql: RunSql, ids: readonly string[]): Promise<readonly StoredLetter[]> {
  const letters: StoredLetter[] = [];
  for (const id of ids) {
    letters.push(await findOne(runSql, id));
  }
  return letters;
}

/** By its id, or by as many of its first digits as no other letter has. */
async function findOne(runSql: RunSql, id: string): Promise<StoredLetter> {
  if (!/^[0-9a-f-]{4,36}$/.test(id)) {
    throw new UsageFailure(`"${id}" is not the id of a dead letter, nor at least its first four digits.`);
  }
  const [letter, another] = await findDeadLetters(runSql, id, TIMEOUT_MS);
  if (letter === undefined) {
    throw new Failure(`There is no dead letter ${id}. \`pnpm dead-letters list --all\` shows all of them.`);
  }
  if (another !== undefined) {
    throw new Failure(`Several dead letters begin with ${id}: give more of the id.`);
  }
  return letter;
}

async function createDeps(runSql: RunSql, isWithoutVisitors: boolean): Promise<ReplayDeps> {
  const sealKeys = await readSealKeys();
  const visitorSecret = process.env["VISITOR_SECRET"] ?? "";
  if (visitorSecret === "" && !isWithoutVisitors) {
    throw new Failure(
      "VISITOR_SECRET is not set: replayed clicks would have no visitor. Set it as the consumer has it, or add --without-visitors.",
    );
  }
  const clickHouseUrl = process.env["CLICKHOUSE_URL"] ?? "";
  const clickHouse = clickHouseUrl === "" ? null : createClickHouse(clickHouseUrl);
  return createReplayDeps(runSql, sealKeys, isWithoutVisitors ? null : visitorSecret, clickHouse);
}

async function readSealKeys(): Promise<SealKeys> {
  const secret = process.env["SEAL_KEY"] ?? "";
  if (secret === "") {
    throw new Failure("SEAL_KEY is not set: dead letters are opened with the key that the Workers have.");
  }
  return importSealKeys(secret, process.env["SEAL_KEY_OLD"]).catch((cause: unknown) => {
    throw new Failure(cause instanceof Error ? cause.message : "SEAL_KEY is not a key.", { cause });
  });
}

async function readLog(path: string): Promise<string> {
  if (path === "-") {
    return text(process.stdin);
  }
  return readFile(path, "utf8").catch((cause: unknown) => {
    throw new Failure(`${path} cannot be read.`, { cause });
  });
}

function parseOrText(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

function toText(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 19) + "Z";
}
