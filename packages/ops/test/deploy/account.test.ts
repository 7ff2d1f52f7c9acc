/** What the SDK is asked for, and what a person reads when Cloudflare refuses. */
import { beforeEach, describe, expect, it, vi } from "vitest";

import { type Account, connectAccount, createKvNamespace, createQueue } from "../../src/deploy/account.ts";
import { listKvNamespaces, listQueues, listSecrets } from "../../src/deploy/account.ts";
import { readDeployedWorker } from "../../src/deploy/versions.ts";
import type { FakeAccount } from "../../../rehearsal/src/account-state.ts";
import { NOT_ALLOWED, TOO_MANY_REQUESTS } from "../../../rehearsal/src/refusals.ts";
import { aDeployment, aVersion, openFakeAccount } from "../fixtures/open-fake-account.ts";

let cloudflare: FakeAccount;
let account: Account;
const notLoggedIn = () => Promise.resolve({ exitCode: 1, output: "✘ [ERROR] Not logged in." });

beforeEach(async () => {
  cloudflare = await openFakeAccount();
  account = await connectAccount(notLoggedIn);
});

describe("the login", () => {
  it("is that of wrangler where there is no token, to the account that is named", async () => {
    vi.stubEnv("CLOUDFLARE_API_TOKEN", "");
    vi.stubEnv("CLOUDFLARE_ACCOUNT_ID", "other");
    const login = async (line: readonly string[]) => ({
      exitCode: line.join(" ") === "auth token --json" ? 0 : 1,
      output: `{ "type": "oauth", "token": "of-wrangler" }`,
    });
    const { client, id } = await connectAccount(login, "account");
    expect([client.apiToken, id]).toEqual(["of-wrangler", "account"]);
  });

  it("is asked for where there is none", async () => {
    vi.stubEnv("CLOUDFLARE_API_TOKEN", "");
    await expect(connectAccount(notLoggedIn)).rejects.toThrow(
      "set CLOUDFLARE_API_TOKEN, or run `pnpm exec wrangler login`",
    );
  });

  it("is refused with a token that no header can carry, without repeating it", async () => {
    vi.stubEnv("CLOUDFLARE_API_TOKEN", "secret\ntoken");
    await expect(connectAccount(notLoggedIn)).rejects.toThrow(
      /^CLOUDFLARE_API_TOKEN contains characters(?!.*secret)/,
    );
  });
});

describe("an account", () => {
  it("lists namespaces and queues of all pages", async () => {
    const names = ["a", "b", "c", "d", "e"];
    cloudflare.namespaces.push(...names.map((title) => ({ id: `id of ${title}`, title })));
    cloudflare.queues.push(
      ...names.map((name) => ({ queue_id: name, queue_name: name, consumers: [], backlog: 0 })),
    );
    expect(await listKvNamespaces(account)).toEqual(new Map(names.map((name) => [name, `id of ${name}`])));
    expect([...(await listQueues(account)).keys()]).toEqual(names);
  });

  it("distinguishes a Worker without secrets from no Worker", async () => {
    cloudflare.addWorker("there");
    expect(await listSecrets(account, "there")).toEqual([]);
    expect(await listSecrets(account, "gone")).toBeNull();
  });

  it("is asked again after what may pass", async () => {
    const request = "GET /queues";
    cloudflare.faults.push(
      { request, answer: TOO_MANY_REQUESTS },
      { request, answer: { status: 503, code: 0, message: "" } },
      { request, answer: null },
    );
    const patient = { ...account, client: account.client.withOptions({ maxRetries: 3 }) };
    expect(await listQueues(patient)).toEqual(new Map());
    expect(cloudflare.faults).toEqual([]);
  });

  it("has once what was made by a request whose answer was lost", async () => {
    cloudflare.faults.push(
      { request: "POST /queues", answer: null, hasEffect: true },
      { request: "POST /storage/kv/namespaces", answer: null, hasEffect: true },
    );
    await createQueue(account, "once");
    await createKvNamespace(account, "once");
    expect([cloudflare.queues.length, cloudflare.namespaces.length]).toEqual([1, 1]);
  });

  it("has once what was made and is not listed yet", async () => {
    cloudflare.visibleAfter = 10;
    await createQueue(account, "once");
    expect(await listQueues(account)).toEqual(new Map());
    await createQueue(account, "once");
    expect(cloudflare.queues.length).toBe(1);
  });

  it.each(["Queues", "Workers KV Storage", "Workers Scripts"])(
    "says that the token may not edit: %s",
    async (permission) => {
      const all = ["Queues", "Workers KV Storage", "Workers Scripts", "Workers Routes"];
      cloudflare.permissions = new Set(all.filter((name) => name !== permission));
      const everything = async () => {
        await createQueue(account, "x");
        await createKvNamespace(account, "x");
        await listSecrets(account, "x");
      };
      await expect(everything()).rejects.toThrow(
        `Give it the permission "${permission}: Edit" for this account.`,
      );
    },
  );

  it.each([
    [403, 10_000, 'the token may not do that. Give it the permission "Queues: Edit" for this account.'],
    [
      403,
      10_063,
      "the account has no workers.dev subdomain yet. Run `pnpm run provision` with --subdomain and a name for it.",
    ],
    [
      403,
      10_034,
      "the account's email address is not verified. Open the link in Cloudflare's email, then run this again.",
    ],
    [401, 10_000, "Cloudflare does not accept the token. Check CLOUDFLARE_API_TOKEN, or log in again."],
    [400, 6003, "Cloudflare does not accept the token. Check CLOUDFLARE_API_TOKEN, or log in again."],
    [400, 100_129, "some reason [code: 100129] (HTTP 400)."],
  ])(
    "says what failed and what to do, without the token, for %i with code %i",
    async (status, code, words) => {
      cloudflare.faults.push({ request: "POST /queues", answer: { status, code, message: "some reason" } });
      const failure: unknown = await createQueue(account, "x").catch((error: unknown) => error);
      expect(failure).toMatchObject({ name: "Failure", message: `Creating the queue x failed: ${words}` });
      expect(String(failure)).not.toContain("secret-token");
    },
  );

  it("is said to be out of reach where nothing answers", async () => {
    const unreachable = {
      ...account,
      client: account.client.withOptions({ baseURL: "http://127.0.0.1:1", maxRetries: 0 }),
    };
    await expect(listQueues(unreachable)).rejects.toThrow("Cloudflare did not answer. Check the network");
  });
});

describe("what is deployed of a Worker", () => {
  const read = () => readDeployedWorker(account, "hopline-api");

  it("is the versions that answer, with their commits, and what all of them offer", async () => {
    const { versions, deployments } = cloudflare.addWorker("hopline-api");
    versions.push(aVersion("new", "kv_namespace", "abc1234", "ChangeFeed", "UsedUpLinks"));
    versions.push(aVersion("old", "kv_namespace", null, "ChangeFeed"));
    deployments.push(aDeployment({ new: 10, old: 90 }));
    const answering = [
      { versionId: "new", percent: 10, tag: "abc1234" },
      { versionId: "old", percent: 90, tag: null },
    ];
    expect(await read()).toEqual({ answering, offers: new Set(["ChangeFeed"]) });
  });

  it("is nothing where there is no Worker, or setting secrets has made a draft", async () => {
    expect(await read()).toBeNull();
    const { versions, deployments } = cloudflare.addWorker("hopline-api");
    versions.push(aVersion("draft", "secret_text", null));
    deployments.push(aDeployment({ draft: 100 }));
    expect(await read()).toBeNull();
  });

  it("is not assumed to be nothing where the account cannot be read", async () => {
    cloudflare.faults.push({ request: "GET /workers/scripts/*/deployments", answer: NOT_ALLOWED });
    await expect(read()).rejects.toThrow('"Workers Scripts: Edit"');
  });
});
