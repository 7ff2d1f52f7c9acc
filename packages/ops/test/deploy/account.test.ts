/** What the SDK is asked for, and what a person reads when Cloudflare refuses. */
import { beforeEach, describe, expect, it, vi } from "vitest";

import { type Account, connectAccount, createQueue, listKvNamespaces } from "../../src/deploy/account.ts";
import { listQueues, listSecrets } from "../../src/deploy/account.ts";
import { readDeployedWorker } from "../../src/deploy/versions.ts";
import { type FakeCloudflare, startFakeCloudflare } from "../fixtures/fake-cloudflare.ts";

let cloudflare: FakeCloudflare;
let account: Account;
const notLoggedIn = () => Promise.resolve({ exitCode: 1, output: "✘ [ERROR] Not logged in." });

beforeEach(async () => {
  cloudflare = await startFakeCloudflare();
  account = await connectAccount(notLoggedIn);
});

describe("the login", () => {
  it("is that of wrangler where there is no token, to the only account it reaches", async () => {
    vi.stubEnv("CLOUDFLARE_API_TOKEN", "");
    vi.stubEnv("CLOUDFLARE_ACCOUNT_ID", "");
    const login = async (line: readonly string[]) => ({
      exitCode: line.join(" ") === "auth token --json" ? 0 : 1,
      output: `{ "type": "oauth", "token": "of-wrangler" }`,
    });
    const { client, id } = await connectAccount(login);
    expect([client.apiToken, id]).toEqual(["of-wrangler", "the only account"]);
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
    cloudflare.kv.push(...names.map((title) => ({ id: `id of ${title}`, title })));
    cloudflare.queues.push(...names.map((name) => ({ queue_id: name, queue_name: name, consumers: [] })));
    expect(await listKvNamespaces(account)).toEqual(new Map(names.map((name) => [name, `id of ${name}`])));
    expect(await listQueues(account)).toEqual(names);
  });

  it("distinguishes a Worker without secrets from no Worker", async () => {
    cloudflare.worker("there");
    expect(await listSecrets(account, "there")).toEqual([]);
    expect(await listSecrets(account, "gone")).toBeNull();
  });

  it("is asked again after what may pass", async () => {
    cloudflare.faults.push({ request: "GET /queues", status: 429 }, { request: "GET /queues", status: 503 });
    expect(await listQueues(account)).toEqual([]);
    expect(cloudflare.faults).toEqual([]);
  });

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
    [400, 100_129, "fake: POST /client/v4/accounts/account/queues [code: 100129] (HTTP 400)."],
  ])(
    "says what failed and what to do, without the token, for %i with code %i",
    async (status, code, words) => {
      cloudflare.faults.push({ request: "POST /queues", status, code });
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
  const aVersion = (id: string, type: string, tag: string | undefined, ...exported: readonly string[]) => ({
    id,
    number: 1,
    annotations: { "workers/tag": tag },
    bindings: [{ type, name: "BOUND" }],
    exported,
  });
  const read = () => readDeployedWorker(account, "hopline-api");

  it("is the versions that answer, with their commits, and what all of them offer", async () => {
    const { versions, deployments } = cloudflare.worker("hopline-api");
    versions.push(aVersion("new", "kv_namespace", "abc1234", "ChangeFeed", "UsedUpLinks"));
    versions.push(aVersion("old", "kv_namespace", undefined, "ChangeFeed"));
    deployments.push([{ version_id: "older", percentage: 100 }]);
    const shares = { new: 10, old: 90 };
    deployments.push(Object.entries(shares).map(([version_id, percentage]) => ({ version_id, percentage })));
    const answering = [
      { versionId: "new", percent: 10, tag: "abc1234" },
      { versionId: "old", percent: 90, tag: null },
    ];
    expect(await read()).toEqual({ answering, offers: new Set(["ChangeFeed"]) });
  });

  it("is nothing where there is no Worker, or setting secrets has made a draft", async () => {
    expect(await read()).toBeNull();
    const { versions, deployments } = cloudflare.worker("hopline-api");
    versions.push(aVersion("draft", "secret_text", undefined));
    deployments.push([{ version_id: "draft", percentage: 100 }]);
    expect(await read()).toBeNull();
  });

  it("is not assumed to be nothing where the account cannot be read", async () => {
    const request = "GET /workers/scripts/hopline-api/deployments";
    cloudflare.faults.push({ request, status: 403, code: 10_000 });
    await expect(read()).rejects.toThrow('"Workers Scripts: Edit"');
  });
});
