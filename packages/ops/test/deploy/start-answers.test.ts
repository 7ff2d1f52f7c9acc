/** What `start` asks on a terminal, and what it names without one. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createProgress } from "@hopline/testkit/console/progress";
import { expect, it, onTestFinished, vi } from "vitest";

import { DEPLOYMENT_VARIABLE } from "../../src/deploy/deployment-directory.ts";
import { applyAnswers, gatherAnswers } from "../../src/deploy/start-answers.ts";
import { openFakeAccount } from "../fixtures/open-fake-account.ts";
import { STAGING } from "./a-deployment.ts";

const environment = { ...STAGING, name: "test-of-start" };
const notLoggedIn = () => Promise.resolve({ exitCode: 1, output: "✘ [ERROR] Not logged in." });

it("asks for what it lacks, one after the other, and not for what it knows", async () => {
  const databaseUrl = process.env["DATABASE_URL"] ?? "";
  const account = await openFakeAccount();
  account.subdomain = null;
  for (const name of ["CLOUDFLARE_API_TOKEN", "CLOUDFLARE_ACCOUNT_ID", "DATABASE_URL"]) {
    vi.stubEnv(name, "");
  }
  const asked: string[] = [];
  const answering = (answers: readonly string[]) => (question: string) => {
    asked.push(question);
    return Promise.resolve(answers[asked.length - 1] ?? "");
  };
  const answers = ["token", "account", databaseUrl, "go.example.com", "ada@example.com", "acme"];
  const deps = { ask: answering(answers), askText: answering(answers), runWrangler: notLoggedIn };
  expect(await gatherAnswers(environment, {}, deps)).toEqual({
    account: "account",
    databaseUrl,
    host: "go.example.com",
    appHost: null,
    subdomain: "acme",
    accountSubdomain: "acme",
    email: "ada@example.com",
    plan: null,
  });
  expect(asked).toEqual([
    expect.stringContaining("CLOUDFLARE_API_TOKEN"),
    "The account's id: account (Acme)",
    "DATABASE_URL",
    expect.stringContaining("The host of your links"),
    "The email address of the first owner",
    expect.stringContaining("<name>.workers.dev"),
  ]);
  // The token is for this process; the account has a subdomain now, and flags answer the rest.
  account.subdomain = "acme";
  const flags = { account: "account", host: "workers.dev", email: "ada@example.com" };
  vi.stubEnv("DATABASE_URL", databaseUrl);
  const silent = { ask: null, askText: null, runWrangler: notLoggedIn };
  expect(await gatherAnswers(environment, flags, silent)).toMatchObject({
    host: "workers.dev",
    subdomain: null,
  });
});

it("writes the host before those that are there, of which none is lost, and a dashboard of Cloudflare's", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hopline-answers-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const text = `{ "staging": { "suffix": "-staging", "domains": ["a.example.com", "b.example.com"] } }`;
  await writeFile(join(folder, "environments.jsonc"), text);
  vi.stubEnv(DEPLOYMENT_VARIABLE, folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const answers = {
    account: "account",
    databaseUrl: "postgresql://kept",
    host: "b.example.com",
    appHost: null,
    subdomain: null,
    accountSubdomain: "acme",
    email: null,
    plan: null,
  };
  const lines: string[] = [];
  const deps = { progress: createProgress({ write: (line) => lines.push(line) }, () => 0) };
  const environment = await applyAnswers("staging", answers, deps);
  expect(environment.domains).toEqual(["b.example.com", "a.example.com"]);
  expect(environment.vars).toEqual({
    api: {
      APP_ORIGIN: "https://hopline-dashboard-staging.acme.workers.dev",
      KV_WRITES_PER_DAY: "1000",
      SUBREQUESTS: "50",
    },
    consumer: { SUBREQUESTS: "50" },
  });
  expect(await applyAnswers("staging", { ...answers, host: "workers.dev" }, deps)).toEqual(environment);
  const paid = await applyAnswers("staging", { ...answers, host: null, plan: "paid" }, deps);
  expect(paid.vars).toMatchObject({ api: { KV_WRITES_PER_DAY: "0" }, consumer: { SUBREQUESTS: "10000" } });
  expect(lines.join("")).not.toContain("postgresql://kept");
});

it("names everything at once where nobody can be asked", async () => {
  await openFakeAccount();
  for (const name of ["CLOUDFLARE_API_TOKEN", "CLOUDFLARE_ACCOUNT_ID", "DATABASE_URL"]) {
    vi.stubEnv(name, "");
  }
  const silent = { ask: null, askText: null, runWrangler: notLoggedIn };
  await expect(gatherAnswers(environment, {}, silent)).rejects.toThrow(
    /^Missing: a login .*; --account ID; DATABASE_URL .*; --host go\.example\.com.*; --email ada@example\.com\. Nothing was made\.$/,
  );
});
