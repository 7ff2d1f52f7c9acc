/** Commands killed at each of their requests, also those that only read: before it has its effect, and after. */
import { createHash } from "node:crypto";

import * as keysCommand from "@hopline/ops/commands/keys";
import { createMigratedDatabase, createScratchDatabase } from "@hopline/testkit/postgres/scratch-database";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";

import { IS_FULL } from "../../core/test/runs.ts";
import { callCommand } from "../../testkit/test/call-command.ts";
import { queryOnce } from "../../testkit/test/query-once.ts";
import { FakeAccount } from "../src/account-state.ts";
import { createStage } from "../src/stage.ts";
import { startFakeCloudflare } from "../src/start-fake-cloudflare.ts";
import { describeAccount, SECRETS, startAccount } from "./an-account.ts";
import { openCutConnection } from "./cut-connection.ts";
import { openDeployment } from "./given-environment.ts";

/** A bound against hanging: some hundred runs. */
vi.setConfig({ testTimeout: 1_800_000 });

/** Commands of this process get a database of their own in this variable. */
const SERVER_URL = process.env["DATABASE_URL"] ?? "";
const DATABASE_URL = "postgresql://nobody@database.example/hopline";
const PROVISION = "provision --subdomain acme";
const TEARDOWN = "teardown --env staging --yes";
let deployment: Awaited<ReturnType<typeof openDeployment>>;

beforeAll(async () => {
  deployment = await openDeployment();
});
afterAll(() => deployment.close());

type Stand = Awaited<ReturnType<typeof startAccount>>;

type Killing = {
  readonly open?: () => Promise<Stand>;
  readonly prepare?: (stand: Stand) => Promise<unknown>;
  readonly describe?: (account: FakeAccount) => unknown;
  readonly expected: unknown;
};

/** How often the line was killed: once at each of its requests, and then run again to its end, on an account of its own each time. */
async function killEverywhere(
  line: string,
  { open = openEmpty, prepare, describe: describeIt = describeAccount, expected }: Killing,
): Promise<number> {
  for (let kills = 0; ; kills += 1) {
    const stand = await open();
    await prepare?.(stand);
    let seen = 0;
    const first = await stand.stage.run(line, { killAt: () => seen++ === kills });
    const last = first.exitCode === null ? await stand.stage.run(line) : first;
    expect([kills, last.exitCode, last.output]).toEqual([kills, 0, expect.any(String)]);
    stand.secrets.forEach((secret) => expect(first.output + last.output).not.toContain(secret));
    expect([kills, describeIt(stand.stage.account)]).toEqual([kills, expected]);
    expect(stand.stage.account.wrong).toEqual([]);
    await stand.stop();
    if (first.exitCode !== null) {
      return kills;
    }
  }
}

const openEmpty = () => startAccount(DATABASE_URL, new FakeAccount());

/** As a deployment leaves an account: hosts, consumers and triggers beside what was provisioned. */
async function deployByHand({ stage }: Stand): Promise<void> {
  await stage.run(PROVISION);
  const { account } = stage;
  const service = "hopline-producer-staging";
  account.hosts.push({ id: "go", hostname: "go.example.com", service });
  for (const { queue_name, consumers } of account.queues.filter((queue) => queue.queue_name !== "theirs")) {
    consumers.push({ consumer_id: `of-${queue_name}`, script: "hopline-consumer-staging", body: {} });
  }
}

describe.runIf(IS_FULL)("killed before or after any of its requests, and run again,", () => {
  it("provision ends in the same account, with one of each", async () => {
    const undisturbed = await startAccount(DATABASE_URL, new FakeAccount());
    await undisturbed.stage.run(PROVISION);
    const expected = describeAccount(undisturbed.stage.account);
    await undisturbed.stop();
    const kills = await killEverywhere(PROVISION, { expected });
    console.log(`provision: ${kills} kills`);
    expect(kills).toBeGreaterThan(40);
  });

  it("teardown leaves nothing of ours and everything of others", async () => {
    const empty = await startAccount(DATABASE_URL, new FakeAccount({ subdomain: "acme" }));
    const expected = describeAccount(empty.stage.account);
    await empty.stop();
    const kills = await killEverywhere(TEARDOWN, { prepare: deployByHand, expected });
    console.log(`teardown: ${kills} kills`);
    expect(kills).toBeGreaterThan(40);
  });

  it("a rollout by shares, to all and back, and the doctor: each ends in the same account, with no deployment twice", async () => {
    const database = await createScratchDatabase(SERVER_URL);
    onTestFinished(() => database.drop());
    await deployment.give({ domains: ["go.example.com"] });
    const first = await startAccount(database.url, new FakeAccount());
    const { account } = first.stage;
    for (const line of [PROVISION, "deploy", "deploy --percent 10"]) {
      expect(await first.stage.run(line)).toMatchObject({ exitCode: 0 });
    }
    await first.stop();
    // So that the last share has a host to publish.
    await deployment.give({ domains: ["go.example.com", "new.example.com"] });

    const openFrom = async (held: FakeAccount): Promise<Stand> => {
      const { account: copied, stop } = await startFakeCloudflare(held.copy());
      const environment = { ...SECRETS, DATABASE_URL: database.url };
      return { stage: createStage(copied, environment), secrets: Object.values(environment), stop };
    };
    const describeRollout = (held: FakeAccount) => [
      describeAccount(held),
      held.workers.get("hopline-producer-staging")?.deployments.map(({ versions }) => versions),
    ];
    let before = account;
    for (const line of [
      "rollout --percent 50",
      "rollout --back",
      "rollout --percent 100",
      "rollout --back",
      "doctor",
    ]) {
      if (line === "rollout --percent 100") {
        // The share that was taken back is given again.
        before = account.copy();
      }
      const undisturbed = await openFrom(before);
      expect(await undisturbed.stage.run(line)).toMatchObject({ exitCode: 0 });
      await undisturbed.stop();
      const after = undisturbed.stage.account;
      const kills = await killEverywhere(line, {
        open: () => openFrom(before),
        describe: describeRollout,
        expected: describeRollout(after),
      });
      console.log(`${line}: ${kills} kills`);
      expect(kills).toBeGreaterThan(4);
      before = after;
    }
    expect(describeRollout(before)).not.toEqual(describeRollout(account));
  });

  it.each([1, 0])("keys leaves one workspace, %i hosts and one key, which was shown", async (hosts) => {
    const database = await createMigratedDatabase(SERVER_URL);
    onTestFinished(() => database.drop());
    for (let step = 0; ; step += 1) {
      const cut = await openCutConnection(database.url, { message: step >> 1, isDone: step % 2 === 1 });
      const host = hosts === 0 ? null : `go${step}.example.com`;
      const line = [
        "create",
        "--new-workspace",
        `Users ${step}`,
        ...(host === null ? [] : ["--domain", host]),
      ];
      const first = await callCommand(keysCommand, line, { DATABASE_URL: cut.url });
      await cut.stop();
      const last =
        first.exitCode === 0 ? first : await callCommand(keysCommand, line, { DATABASE_URL: database.url });
      const made = await queryOnce(
        database.url,
        `SELECT encode(key_hash, 'hex') AS hash, workspaces.name, host FROM workspaces
         JOIN api_keys ON api_keys.workspace_id = workspaces.id LEFT JOIN domains ON domains.workspace_id = workspaces.id
         WHERE workspaces.name = 'Users ${step}'`,
      );
      const shown = (first.output + last.output).match(/hop_\w+/g) ?? [];
      const hashes = shown.map((key) => createHash("sha256").update(key).digest("hex"));
      expect(made).toEqual([
        {
          hash: expect.toSatisfy((hash: string) => hashes.includes(hash)),
          name: `Users ${step}`,
          host,
        },
      ]);
      expect(last).toMatchObject(
        last.exitCode === 0
          ? { output: expect.stringContaining(`"Users ${step}"`) }
          : {
              output: expect.stringMatching(
                /(belongs to another workspace|nobody has joined).* --workspace ws_/,
              ),
            },
      );
      expect(first.output + last.output).not.toContain(database.url);
      if (!cut.wasCut()) {
        console.log(`keys: ${step} kills`);
        expect(step).toBeGreaterThan(10);
        return;
      }
    }
  });
});
