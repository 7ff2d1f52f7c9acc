/**
 * `pnpm dead-letters list|show|replay|import`: what could not be counted, and how it is counted after all.
 *
 * Bodies are opened with SEAL_KEY and shown to whoever has it. VISITOR_SECRET makes replayed clicks the same visitors
 * as the consumer would have made them.
 */
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";

import {
  findDeadLetters,
  listDeadLetters,
  markReplayed,
  type StoredLetter,
} from "@hopline/db/ledger/find-dead-letters";
import type { RunSql } from "@hopline/db/neon-client";
import { importSealKeys, type SealKeys } from "@hopline/sealing/seal-key";

import { withDirectSql } from "../operate/direct-sql.ts";
import { Failure } from "@hopline/testkit/console/failure";
import { consoleProgress, runCommand } from "@hopline/testkit/console/progress";
import { readFlags } from "@hopline/testkit/console/read-flags";
import {
  createReplayDeps,
  findSealedTexts,
  openBody,
  replayBody,
  type Replayed,
  type ReplayDeps,
} from "@hopline/consumer/dead-letters/replay";

const USAGE =
  "pnpm dead-letters list [--all] | show <id> | replay <id>… | replay --all | import [<log file>]  (or the log on standard input)";
const TIMEOUT_MS = 60_000;
const LIMIT = 10_000;
const progress = consoleProgress();

await runCommand(async () => {
  const { values, positionals } = readFlags(
    { all: { type: "boolean", default: false }, "without-visitors": { type: "boolean", default: false } },
    USAGE,
  );
  const [verb, ...names] = positionals;
  const replay = async (runSql: RunSql) =>
    createReplayDeps(runSql, await readSealKeys(), readVisitorSecret(values["without-visitors"]));
  switch (verb) {
    case "list":
      return withDirectSql(USAGE, (runSql) => list(runSql, values.all));
    case "show":
      return withDirectSql(USAGE, async (runSql) => show(await findOne(runSql, names[0])));
    case "replay":
      return withDirectSql(USAGE, async (runSql) => {
        const letters = await choose(runSql, names, values.all);
        return replayLetters(runSql, letters, await replay(runSql));
      });
    case "import":
      return withDirectSql(USAGE, async (runSql) => importLog(await readLog(names[0]), await replay(runSql)));
    case undefined:
    default:
      throw new Failure(`Say what to do. Usage: ${USAGE}`);
  }
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
    // Of a segment the refused clicks have letters of their own now; a refused click has only this one.
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
      return `the database did not take it${replayed.sqlState === null ? "" : ` (${replayed.sqlState})`}; try again`;
  }
}

async function choose(
  runSql: RunSql,
  ids: readonly string[],
  isAll: boolean,
): Promise<readonly StoredLetter[]> {
  if (isAll === ids.length > 0) {
    throw new Failure(`Say which letters to replay: their ids, or --all. Usage: ${USAGE}`);
  }
  if (isAll) {
    return listDeadLetters(runSql, { withReplayed: false, limit: LIMIT }, TIMEOUT_MS);
  }
  const letters: StoredLetter[] = [];
  for (const id of ids) {
    letters.push(await findOne(runSql, id));
  }
  return letters;
}

/** By its id, or by as much of it as tells it from the others. */
async function findOne(runSql: RunSql, id: string | undefined): Promise<StoredLetter> {
  if (id === undefined || !/^[0-9a-f-]{4,36}$/.test(id)) {
    throw new Failure(`Give the id of a letter, at least its first four digits. Usage: ${USAGE}`);
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

async function readSealKeys(): Promise<SealKeys> {
  const secret = process.env["SEAL_KEY"] ?? "";
  if (secret === "") {
    throw new Failure("SEAL_KEY is not set: dead letters are opened with the key that the Workers have.");
  }
  return importSealKeys(secret, process.env["SEAL_KEY_OLD"]).catch((cause: unknown) => {
    throw new Failure(cause instanceof Error ? cause.message : "SEAL_KEY is no key.", { cause });
  });
}

function readVisitorSecret(isWithout: boolean): string | null {
  const secret = process.env["VISITOR_SECRET"] ?? "";
  if (secret === "" && !isWithout) {
    throw new Failure(
      "VISITOR_SECRET is not set: replayed clicks would have no visitor. Set it as the consumer has it, or say --without-visitors.",
    );
  }
  return isWithout ? null : secret;
}

async function readLog(path: string | undefined): Promise<string> {
  if (path === undefined || path === "-") {
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
