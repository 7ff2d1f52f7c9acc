/** Commands that talk to the account alone, killed at each of their requests, also those that only read: before it has its effect, and after. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { IS_FULL } from "../../core/test/runs.ts";
import { FakeAccount } from "../src/account-state.ts";
import { describeAccount, startAccount } from "./an-account.ts";
import { openDeployment } from "./given-environment.ts";

/** A bound against hanging: some hundred runs. */
vi.setConfig({ testTimeout: 600_000 });

const DATABASE_URL = "postgresql://nobody@database.example/hopline";
const PROVISION = "provision --subdomain acme";
const TEARDOWN = "teardown --env staging --yes";
let deployment: Awaited<ReturnType<typeof openDeployment>>;

beforeAll(async () => {
  deployment = await openDeployment();
});
afterAll(() => deployment.close());

type Stand = Awaited<ReturnType<typeof startAccount>>;

/** How often the line was killed: once at each of its requests, and then run again to its end, on an account of its own each time. */
async function killEverywhere(
  line: string,
  { prepare, expected }: { readonly prepare: (stand: Stand) => Promise<unknown>; readonly expected: unknown },
): Promise<number> {
  for (let kills = 0; ; kills += 1) {
    const stand = await startAccount(DATABASE_URL, new FakeAccount());
    await prepare(stand);
    let seen = 0;
    const first = await stand.stage.run(line, { killAt: () => seen++ === kills });
    const last = first.exitCode === null ? await stand.stage.run(line) : first;
    expect([kills, last.exitCode, last.output]).toEqual([kills, 0, expect.any(String)]);
    stand.secrets.forEach((secret) => expect(first.output + last.output).not.toContain(secret));
    expect([kills, describeAccount(stand.stage.account)]).toEqual([kills, expected]);
    expect(stand.stage.account.wrong).toEqual([]);
    await stand.stop();
    if (first.exitCode !== null) {
      return kills;
    }
  }
}

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
    const kills = await killEverywhere(PROVISION, { prepare: async () => undefined, expected });
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
});
