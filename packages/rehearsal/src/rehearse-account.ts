/**
 * The rehearsal on a real account: everything under a random suffix, with a database of its own on the given server, and all of it
 * removed again. Only for an account that was named.
 */
import { randomBytes, randomInt } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { runCommand } from "citty";

import doctor from "@hopline/ops/commands/doctor";
import start from "@hopline/ops/commands/start";
import teardown from "@hopline/ops/commands/teardown";
import { connectAccount } from "@hopline/ops/deploy/account";
import { DEPLOYMENT_VARIABLE } from "@hopline/ops/deploy/deployment-directory";
import { NO_HOST } from "@hopline/ops/deploy/start-answers";
import { readSubdomain } from "@hopline/ops/deploy/subdomain";
import type { Tools } from "@hopline/ops/deploy/tools";
import { Failure } from "@hopline/testkit/console/failure";
import { describeDatabase } from "@hopline/testkit/postgres/database-url";
import { createScratchDatabase } from "@hopline/testkit/postgres/scratch-database";

const NAME = "rehearsal";
const SUFFIX_BYTES = 4;
/** Clicks of the last visits may need longer than one removal waits. */
const REMOVALS = 3;

/** Rejects with a `Failure` that says what went wrong, and whether anything is left. */
export async function rehearseAccount(accountId: string, databaseUrl: string, tools: Tools): Promise<void> {
  const { progress } = tools;
  const account = await connectAccount(tools.runWrangler, accountId);
  if ((await readSubdomain(account)) === null) {
    throw new Failure(
      "The account has no workers.dev subdomain, and one that was registered cannot be removed again: register it first. Nothing was made.",
    );
  }
  const suffix = `-rehearsal-${randomBytes(SUFFIX_BYTES).toString("hex")}`;
  progress.line(
    `This uses the real Cloudflare account ${account.id}: Workers, queues and KV namespaces are made whose names end in ${suffix}, ` +
      `and a database on ${describeDatabase(databaseUrl)}. All of it is removed again at the end.`,
  );
  const folder = await mkdtemp(join(tmpdir(), "hopline-rehearsal-"));
  const environment = { suffix, domains: [], rateLimitOffset: randomInt(10_000, 1_000_000), vars: {} };
  await writeFile(join(folder, "environments.jsonc"), JSON.stringify({ [NAME]: environment }, null, 2));
  const database = await createScratchDatabase(databaseUrl);
  const before = { folder: process.env[DEPLOYMENT_VARIABLE], database: process.env["DATABASE_URL"] };
  Object.assign(process.env, { [DEPLOYMENT_VARIABLE]: folder, DATABASE_URL: database.url });
  const of = ["--env", NAME, "--account", account.id];
  try {
    try {
      const email = "rehearsal@example.com";
      await runCommand(start, { rawArgs: [...of, "--host", NO_HOST, "--email", email], data: tools });
      const { result } = await runCommand(doctor, { rawArgs: of, data: tools });
      if (result !== 0) {
        throw new Failure("The doctor found errors in what was just deployed.");
      }
    } finally {
      await removeAll([...of, "--yes"], { ...tools, suffix, folder });
    }
    await rm(folder, { recursive: true });
    progress.line(`Rehearsed on ${account.id}; nothing of ${suffix} is left.`);
  } finally {
    restore(DEPLOYMENT_VARIABLE, before.folder);
    restore("DATABASE_URL", before.database);
    await database.drop();
  }
}

async function removeAll(
  rawArgs: readonly string[],
  { suffix, folder, ...tools }: Tools & { readonly suffix: string; readonly folder: string },
): Promise<void> {
  for (let left = REMOVALS - 1; ; left -= 1) {
    try {
      await runCommand(teardown, { rawArgs: [...rawArgs], data: tools });
      return;
    } catch (error) {
      if (!(error instanceof Failure) || left === 0) {
        const command = `${DEPLOYMENT_VARIABLE}=${folder} pnpm run teardown ${rawArgs.join(" ")}`;
        throw new Failure(`Not all of ${suffix} could be removed. Do it with: ${command}`, { cause: error });
      }
      tools.progress.line(`${error.message} Once more.`);
    }
  }
}

function restore(name: string, value: string | undefined): void {
  if (value === undefined) {
    delete process.env[name];
  } else {
    process.env[name] = value;
  }
}
