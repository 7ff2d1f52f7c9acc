/** From an account that holds nothing to one that is torn down, by the real commands and the real wrangler. */
import { afterAll, beforeAll, expect, it, vi } from "vitest";

import type * as environments from "@hopline/ops/deploy/environments";
import { createScratchDatabase, type ScratchDatabase } from "@hopline/testkit/postgres/scratch-database";
import { FakeAccount } from "../src/account-state.ts";
import { createStage, type Stage } from "../src/stage.ts";
import { startFakeCloudflare } from "../src/start-fake-cloudflare.ts";

/** What environments.jsonc says, in these tests. */
const given: { domains: readonly string[]; vars: object } = vi.hoisted(() => ({ domains: [], vars: {} }));
vi.mock("../../ops/src/deploy/environments.ts", async (importOriginal) => {
  const original = await importOriginal<typeof environments>();
  return {
    ...original,
    readEnvironment: async (name: string) => ({ ...(await original.readEnvironment(name)), ...given }),
  };
});

const key = (byte: number) => Buffer.alloc(32, byte).toString("base64");
const SECRETS = {
  SEAL_KEY: key(1),
  VISITOR_SECRET: key(2),
  METRICS_TOKEN: key(3),
  AUTH_SECRET: key(4),
  WEBHOOK_SEAL_KEY: key(5),
};
let database: ScratchDatabase;
let stage: Stage;
let stop: () => Promise<void>;

beforeAll(async () => {
  database = await createScratchDatabase(process.env["DATABASE_URL"] ?? "");
  const fake = await startFakeCloudflare(new FakeAccount());
  fake.account.zones.add("example.com");
  stage = createStage(fake.account, { ...SECRETS, DATABASE_URL: database.url });
  stop = fake.stop;
});
afterAll(async () => {
  await stop();
  await database.drop();
});

it("provisions an empty account", async () => {
  console.log(await stage.run("provision"));
  console.log(await stage.run("provision --subdomain acme"));
});
it("deploys", async () => {
  console.log(await stage.run("deploy"));
  console.log(stage.account.wrong, stage.started);
  expect(1).toBe(1);
});
