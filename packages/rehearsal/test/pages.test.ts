/**
 * An operator who has the pages and a terminal: in a clean clone, with the real programs, on the fake account, each command of
 * docs/deploy.md, secrets.md, domains.md and teardown.md and the run-book's way back runs as it is written, in the page's order.
 */
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";

import { createScratchDatabase, type ScratchDatabase } from "@hopline/testkit/postgres/scratch-database";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { IS_FULL } from "../../core/test/runs.ts";
import { queryOnce } from "../../testkit/test/query-once.ts";
import { FakeAccount } from "../src/account-state.ts";
import { type Clone, openClone } from "../src/open-clone.ts";
import { openUploaded, type Uploaded } from "../src/open-uploaded.ts";
import { type HostProxy, startHostProxy } from "../src/start-host-proxy.ts";
import { startAccount } from "./an-account.ts";
import { readCommands } from "./read-commands.ts";

/** A bound against hanging: dozens of starts of wrangler, and waits as they are. */
vi.setConfig({ testTimeout: 1_800_000, hookTimeout: 120_000 });

/** In place of what a page leaves out. */
const ACCOUNT = "account";
const STAGING_HOST = "go.example.com";
const PRODUCTION_HOST = "go.hopline.example";
const HOSTS = [STAGING_HOST, PRODUCTION_HOST, "*.acme.workers.dev"];
/** Waits in a queue for seconds: the click is in nobody's hands meanwhile, so `reconcile` may need another try. */
const TRIES = 10;

describe.runIf(IS_FULL)("an operator follows", () => {
  const server = process.env["DATABASE_URL"] ?? "";
  let clone: Clone;
  let stand: Awaited<ReturnType<typeof startAccount>>;
  let databases: { readonly staging: ScratchDatabase; readonly production: ScratchDatabase };
  let uploaded: { readonly staging: Uploaded; readonly production: Uploaded };
  let proxy: HostProxy;
  let resolver: Awaited<ReturnType<typeof startResolver>>;
  let variables: Readonly<Record<string, string>> = {};

  beforeAll(async () => {
    clone = await openClone();
    databases = { staging: await createScratchDatabase(server), production: await createScratchDatabase(server) };
    resolver = await startResolver();
    await open(new FakeAccount());
  });
  afterAll(async () => {
    await close();
    await resolver.stop();
    await databases.staging.drop();
    await databases.production.drop();
    await clone.stop();
  });

  async function open(account: FakeAccount): Promise<void> {
    stand = await startAccount(databases.staging.url, account);
    account.zones.add("hopline.example");
    const vars = { DNS_RESOLVER_URL: resolver.url };
    uploaded = {
      staging: openUploaded(account, "-staging", databases.staging.url),
      production: openUploaded(account, "", databases.production.url, vars),
    };
    const visit: Uploaded["visit"] = (url, init) =>
      uploaded[/-staging\.|go\.example\.com/.test(new URL(url).hostname) ? "staging" : "production"].visit(url, init);
    proxy = await startHostProxy({ folder: join(clone.folder, ".."), hosts: HOSTS, visit });
    variables = {
      ...proxy.environment,
      CURL_HOME: clone.folder,
      CLOUDFLARE_API_BASE_URL: account.baseUrl,
      CLOUDFLARE_API_TOKEN: "rehearsal-token",
    };
  }
  async function close(): Promise<void> {
    await proxy.stop();
    await uploaded.staging.stop();
    await uploaded.production.stop();
    await stand.stop();
  }

  /** Runs lines of a page; resolves to what they printed. */
  async function run(script: string, input = ""): Promise<string> {
    expect(script).not.toMatch(/…(?!')/);
    const ended = await clone.run(script, { variables, input });
    expect([script, ended.exitCode, ended.output]).toEqual([script, 0, expect.any(String)]);
    expect(stand.stage.account.wrong).toEqual([]);
    variables = { ...ended.variables };
    return ended.output;
  }
  async function giveHosts(environment: string, domains: readonly string[]): Promise<void> {
    const path = join(clone.folder, "environments.jsonc");
    const [before = "", after = ""] = (await readFile(path, "utf8")).split(`"${environment}": {`);
    const given = after.replace(/"domains": \[.*\]/, `"domains": ${JSON.stringify(domains)}`);
    await writeFile(path, `${before}"${environment}": {${given}`);
  }
  const secretOf = (worker: string, name: string) =>
    stand.stage.account.workers
      .get(worker)
      ?.versions.at(-1)
      ?.bindings.find((binding) => binding.name === name)?.["text"];

  it("the first two commands of docs/deploy.md, from an empty account to a counted click", async () => {
    const [alone = "", start = ""] = await readCommands("docs/deploy.md");
    const ended = await clone.run(alone, { variables });
    expect([ended.exitCode, ended.output]).toEqual([1, expect.stringMatching(/✗ Missing: .*Nothing was made\./)]);
    const given = start
      .replace("CLOUDFLARE_API_TOKEN='…'", "CLOUDFLARE_API_TOKEN=rehearsal-token")
      .replace("'postgresql://…'", databases.staging.url)
      .replace("--account ID", `--account ${ACCOUNT}`);
    expect(await run(given)).toContain(`The first link: https://${STAGING_HOST}/hello`);
    const counted = "SELECT sum(click_count)::int AS clicks FROM segment_ledger";
    expect(await queryOnce(databases.staging.url, counted)).toEqual([{ clicks: 1 }]);
  });
});

/** Of TXT records, over HTTPS's JSON. */
async function startResolver() {
  const texts = new Map<string, string>();
  const server = createServer((request, response) => {
    const text = texts.get(new URL(request.url ?? "", "http://resolver").searchParams.get("name") ?? "");
    response.setHeader("content-type", "application/dns-json");
    response.end(JSON.stringify({ Status: 0, Answer: text === undefined ? [] : [{ type: 16, data: text }] }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  return {
    texts,
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`,
    stop: async (): Promise<void> => {
      server.closeAllConnections();
      await once(server.close(), "close");
    },
  };
}
