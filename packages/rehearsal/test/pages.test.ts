/**
 * An operator who has the pages and a terminal: in a clean clone, with the real programs, on the fake account, each command of
 * docs/deploy.md, secrets.md, domains.md and teardown.md and the run-book's way back runs as it is written, in the page's order.
 */
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";

import { textAt, toJsonObject } from "@hopline/ops/deploy/json-object";
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
    databases = {
      staging: await createScratchDatabase(server),
      production: await createScratchDatabase(server),
    };
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
    // Custom hostnames are off where it runs: they are made by Cloudflare's real API.
    const vars = { DNS_RESOLVER_URL: resolver.url, CUSTOM_HOSTNAMES_ZONE_ID: "" };
    uploaded = {
      staging: openUploaded(account, "-staging", databases.staging.url),
      production: openUploaded(account, "", databases.production.url, vars),
    };
    const visit: Uploaded["visit"] = (url, init) =>
      uploaded[/-staging\.|go\.example\.com/.test(new URL(url).hostname) ? "staging" : "production"].visit(
        url,
        init,
      );
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
    // Comments show answers.
    expect(script.replaceAll(/^#.*$/gm, "")).not.toMatch(/…(?!')/);
    // Secrets are only generated where a person is.
    const hasTerminal = script.includes("provision");
    const ended = await clone.run(script, { variables, input, hasTerminal });
    if (ended.exitCode !== 0) {
      throw new Error(`${script} ended with ${ended.exitCode}:\n${ended.output}`);
    }
    expect(stand.stage.account.wrong).toEqual([]);
    variables = { ...ended.variables };
    return ended.output;
  }
  /** Puts lines in place of those that environments.jsonc has for the environment. */
  async function give(environment: string, lines: Readonly<Record<string, unknown>>): Promise<void> {
    const path = join(clone.folder, "environments.jsonc");
    const [before = "", after = ""] = (await readFile(path, "utf8")).split(`"${environment}": {`);
    const given = Object.entries(lines).reduce(
      (text, [name, value]) =>
        text.replace(new RegExp(`"${name}": .*,$`, "m"), `"${name}": ${JSON.stringify(value)},`),
      after,
    );
    await writeFile(path, `${before}"${environment}": {${given}`);
  }

  it("the first two commands of docs/deploy.md, from an empty account to a counted click", async () => {
    const [alone = "", start = ""] = await readCommands("docs/deploy.md");
    const ended = await clone.run(alone, { variables });
    expect([ended.exitCode, ended.output]).toEqual([
      1,
      expect.stringMatching(/✗ Missing: .*Nothing was made\./),
    ]);
    const given = start
      .replace("CLOUDFLARE_API_TOKEN='…'", "CLOUDFLARE_API_TOKEN=rehearsal-token")
      .replace("'postgresql://…'", databases.staging.url)
      .replace("--account ID", `--account ${ACCOUNT}`);
    expect(await run(given)).toContain(`The first link: https://${STAGING_HOST}/hello`);
    const counted = "SELECT sum(click_count)::int AS clicks FROM segment_ledger";
    expect(await queryOnce(databases.staging.url, counted)).toEqual([{ clicks: 1 }]);
  });

  it("the rest of docs/deploy.md: by steps, by shares, with more shards", async () => {
    // The same page's other way, so an account and a database as empty as before.
    await close();
    await databases.staging.drop();
    databases = { ...databases, staging: await createScratchDatabase(server) };
    await open(new FakeAccount());
    await clone.run("git checkout --quiet . && rm -rf .secrets dist");
    await give("staging", { domains: [STAGING_HOST] });
    // Whoever rotates the token of custom hostnames has them.
    const vars = { api: { CUSTOM_HOSTNAMES_ZONE_ID: "zone-hopline.example" } };
    await give("production", { domains: [PRODUCTION_HOST], vars });
    const [, , login, steps = "", visits = "", shares = "", shards = "", ...more] =
      await readCommands("docs/deploy.md");
    // It opens a browser.
    expect([login, more]).toEqual(["pnpm exec wrangler login", []]);
    const printed = await run(
      steps
        .replace("CLOUDFLARE_ACCOUNT_ID='…'", `CLOUDFLARE_ACCOUNT_ID=${ACCOUNT}`)
        .replace("'postgresql://…'", databases.staging.url)
        .replace("provision --env staging", "provision --env staging --subdomain acme"),
    );
    variables = { ...variables, KEY: keyOf(printed) };
    const [curls = "", reconcile = ""] = visits.split(/^(?=pnpm reconcile)/m);
    const visited = await run(curls);
    expect(visited).toMatch(/^HTTP\/1\.1 302 [^]*^location: https:\/\/example\.com\/\r$/im);
    await drain("staging");
    expect(await run(reconcile)).toContain("Everything adds up.");

    // From CI: provision once from your own machine; the first deployment there makes a producer with which the others share.
    variables = { ...variables, DATABASE_URL: databases.production.url };
    await run("pnpm run provision --env production && pnpm run deploy --env production");
    await run(shares);
    const { workers } = stand.stage.account;
    expect(workers.get("hopline-producer")?.deployments[0]?.versions).toMatchObject([{ percentage: 100 }]);
    await run(shards);
    expect(stand.stage.account.queues.map(({ queue_name }) => queue_name)).toContain("hopline-clicks-7");
  });

  it("the run-book's way back, for each Worker", async () => {
    const back =
      (await readCommands("docs/run-book.md")).find((command) => command.includes("rollout")) ?? "";
    for (const worker of ["api", "producer", "consumer", "dashboard"]) {
      const { deployments = [] } = stand.stage.account.workers.get(`hopline-${worker}`) ?? {};
      const [before] = deployments;
      await run(back.replace("--worker consumer", `--worker ${worker}`));
      expect(deployments[0]?.versions).not.toEqual(before?.versions);
    }
    await run("pnpm run deploy --env production");
  });

  it("docs/secrets.md: each secret is another one afterwards", async () => {
    const secrets = await readSecrets("production");
    const owner = new URL(databases.production.url);
    const producer = new URL(owner);
    Object.assign(producer, { username: "producer_login", password: "…" });
    variables = { ...variables, OWNER_URL: owner.href, PRODUCER_URL: producer.href };
    const before = secretsThere();
    const rolled: string[] = [];
    for (const command of await readCommands("docs/secrets.md")) {
      if (!MENTIONED.includes(command)) {
        rolled.push(command);
        await run(
          command
            .replace("OLD='…'", `OLD='${textAt(secrets, "SEAL_KEY")}'`)
            .replace(
              "SEAL_KEY=… SEAL_KEY_OLD=…",
              `SEAL_KEY=$NEW SEAL_KEY_OLD=$OLD VISITOR_SECRET=${textAt(secrets, "VISITOR_SECRET")}`,
            )
            .replace("DATABASE_URL=… ", "")
            .replace("<yesterday>", new Date(Date.now() - DAY_MS).toISOString().slice(0, 10))
            .replace(/^pnpm run (deploy|doctor)$/, "pnpm run $1 --env production"),
          "typed at a prompt",
        );
      }
    }
    expect(rolled.length).toBeGreaterThanOrEqual(15);
    const after = secretsThere();
    const same = Object.keys(before).filter((name) => after[name] === before[name]);
    // Signs sessions: the page has no command for it. The consumer's and the API's logins are "the same".
    expect(same).toEqual([
      "hopline-api AUTH_SECRET",
      "hopline-api DATABASE_URL",
      "hopline-consumer DATABASE_URL",
    ]);
    expect(after["hopline-consumer SEAL_KEY"]).toBe(after["hopline-producer SEAL_KEY"]);
    expect(Object.keys(after)).toContain("hopline-api CUSTOM_HOSTNAMES_TOKEN");
    expect(Object.keys(after)).not.toContain("hopline-consumer SEAL_KEY_OLD");
  });

  it("docs/domains.md: a host is claimed, proved and vouched for", async () => {
    const made = await run(
      `pnpm keys create --env production --new-workspace Users --domain ${PRODUCTION_HOST}`,
    );
    variables = { ...variables, KEY: keyOf(made) };
    const [claim = "", verify = "", ...rest] = await readCommands("docs/domains.md");
    const claimed = await run(claim);
    variables = { ...variables, ID: /"id":"(dom_\w+)"/.exec(claimed)?.[1] ?? "" };
    const [, name = "", value = ""] = /"name":"(_hopline[^"]+)","value":"([^"]+)"/.exec(claimed) ?? [];
    resolver.texts.set(name, value);
    expect(await run(verify)).toMatch(/"status":"active".*"seen":"found"/);
    expect(rest).toHaveLength(3);
    for (const command of rest) {
      await run(
        command
          .replace("ws_…", /ws_\w+/.exec(made)?.[0] ?? "")
          .replace("go.example.com", "vouched.example.com")
          .replace(/^pnpm run doctor$/, "pnpm run doctor --env production"),
        "a token",
      );
    }
  });

  it("docs/teardown.md: nothing of production is left, and all of staging", async () => {
    const [teardown = "", ...last] = await readCommands("docs/teardown.md");
    expect(last).toEqual(["pnpm dead-letters list", "pnpm reconcile"]);
    await drain("production");
    for (const command of [...last, teardown]) {
      await run(command);
    }
    const { workers, queues, namespaces } = stand.stage.account;
    const left = [
      ...workers.keys(),
      ...queues.map(({ queue_name }) => queue_name),
      ...namespaces.map(({ title }) => title),
    ];
    expect(left.filter((one) => !one.endsWith("-staging")).toSorted()).toEqual([
      "somebody-elses",
      "theirs",
      "theirs",
    ]);
    expect(left.filter((one) => one.endsWith("-staging")).length).toBeGreaterThan(8);
  });

  async function drain(environment: "staging" | "production"): Promise<void> {
    const { runtime } = await uploaded[environment].run();
    expect(await runtime.drain(30_000)).toBe(0);
  }
  const readSecrets = async (environment: string) =>
    toJsonObject(JSON.parse(await readFile(join(clone.folder, `.secrets/${environment}.json`), "utf8")));
  /** Of production, by Worker and name. */
  const secretsThere = (): Readonly<Record<string, unknown>> =>
    Object.fromEntries(
      [...stand.stage.account.workers]
        .filter(([name]) => name.startsWith("hopline-") && !name.endsWith("-staging"))
        .toSorted()
        .flatMap(([name, { versions }]) =>
          (versions.at(-1)?.bindings ?? [])
            .filter(({ type }) => type === "secret_text")
            .toSorted((one, other) => one.name.localeCompare(other.name))
            .map((binding) => [`${name} ${binding.name}`, binding["text"]]),
        ),
    );
});

/** Names of commands, which other pages show. */
const MENTIONED = ["pnpm dead-letters", "pnpm keys create"];
const DAY_MS = 86_400_000;
const keyOf = (printed: string) => /hop_\w+/.exec(printed)?.[0] ?? "";

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
