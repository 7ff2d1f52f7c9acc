/** What the SDK is asked for, and what a person reads when Cloudflare refuses. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { type Account, connectAccount, createQueue, listKvNamespaces } from "../../src/deploy/account.ts";
import { listQueues, listSecrets } from "../../src/deploy/account.ts";
import { readDeployedWorker } from "../../src/deploy/versions.ts";
import { type FakeCloudflare, startFakeCloudflare } from "../fixtures/fake-cloudflare.ts";

let cloudflare: FakeCloudflare;
let account: Account;
const notLoggedIn = () => Promise.resolve({ exitCode: 1, output: "✘ [ERROR] Not logged in." });

beforeEach(async () => {
  cloudflare = await startFakeCloudflare();
  vi.stubEnv("CLOUDFLARE_API_BASE_URL", cloudflare.baseUrl);
  vi.stubEnv("CLOUDFLARE_API_TOKEN", "secret-token");
  vi.stubEnv("CLOUDFLARE_ACCOUNT_ID", "account");
  account = await connectAccount(notLoggedIn);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await cloudflare.close();
});

describe("the login", () => {
  it("is that of wrangler where there is no token, to the only account it reaches", async () => {
    vi.stubEnv("CLOUDFLARE_API_TOKEN", "");
    vi.stubEnv("CLOUDFLARE_ACCOUNT_ID", "");
    const login = async (line: readonly string[]) => ({
      exitCode: line.join(" ") === "auth token --json" ? 0 : 1,
      output: `{ "type": "oauth", "token": "of wrangler" }`,
    });
    const { client, id } = await connectAccount(login);
    expect([client.apiToken, id]).toEqual(["of wrangler", "the only account"]);
  });

  it("is asked for where there is none", async () => {
    vi.stubEnv("CLOUDFLARE_API_TOKEN", "");
    await expect(connectAccount(notLoggedIn)).rejects.toThrow(
      "set CLOUDFLARE_API_TOKEN, or run `pnpm exec wrangler login`",
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
    cloudflare.workers.set("there", aWorker({}));
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
    [401, 10_000, "Cloudflare does not accept the token. Check CLOUDFLARE_API_TOKEN, or log in again."],
    [400, 6003, "Cloudflare does not accept the token. Check CLOUDFLARE_API_TOKEN, or log in again."],
    [400, 100_129, "fake: POST /queues [code: 100129] (HTTP 400)."],
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

type FakeVersion = {
  readonly percent: number;
  readonly tag?: string;
  readonly type: string;
  readonly exported?: readonly string[];
};

/** A Worker whose newest deployment has these versions. */
function aWorker(versions: Readonly<Record<string, FakeVersion>>) {
  const shares = Object.entries(versions).map(([version_id, { percent }]) => ({
    version_id,
    percentage: percent,
  }));
  return {
    secrets: new Map<string, string>(),
    settings: null,
    versions: Object.entries(versions).map(([id, { tag, type, exported = [] }]) => ({
      id,
      number: 1,
      annotations: { "workers/tag": tag },
      bindings: [{ type, name: "BOUND" }],
      exported,
    })),
    deployments: [[{ version_id: "older", percentage: 100 }], shares],
  };
}

describe("what is deployed of a Worker", () => {
  const read = (versions: Readonly<Record<string, FakeVersion>>) => {
    cloudflare.workers.set("hopline-api", aWorker(versions));
    return readDeployedWorker(account, "hopline-api");
  };

  it("is the versions that answer, with their commits, and what all of them offer", async () => {
    expect(
      await read({
        new: { percent: 10, tag: "abc1234", type: "kv_namespace", exported: ["ChangeFeed", "UsedUpLinks"] },
        old: { percent: 90, type: "kv_namespace", exported: ["ChangeFeed"] },
      }),
    ).toEqual({
      answering: [
        { versionId: "new", percent: 10, tag: "abc1234" },
        { versionId: "old", percent: 90, tag: null },
      ],
      offers: new Set(["ChangeFeed"]),
    });
  });

  it("is nothing where there is no Worker, or setting secrets has made a draft", async () => {
    expect(await readDeployedWorker(account, "hopline-api")).toBeNull();
    expect(await read({ draft: { percent: 100, type: "secret_text" } })).toBeNull();
  });

  it("is not assumed to be nothing where the account cannot be read", async () => {
    cloudflare.faults.push({ request: "GET /workers/scripts/W/deployments", status: 403, code: 10_000 });
    await expect(readDeployedWorker(account, "hopline-api")).rejects.toThrow('"Workers Scripts: Edit"');
  });
});
