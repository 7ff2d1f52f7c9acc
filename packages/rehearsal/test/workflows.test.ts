/**
 * The deployment workflow as it is, on the fake account: its steps in their order on clean clones, from the first push to staging, a tenth
 * and everything; then a push that adds a host; then back by hand. The job `ci` runs tests, and this is one.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { createScratchDatabase } from "@hopline/testkit/postgres/scratch-database";
import { describe, expect, it, onTestFinished, vi } from "vitest";

import { IS_FULL } from "../../core/test/runs.ts";
import { FakeAccount } from "../src/account-state.ts";
import { openClone } from "../src/open-clone.ts";
import { SECRETS, startAccount } from "./an-account.ts";
import { type Job, readJobs, runJob } from "./run-workflow.ts";

/** A bound against hanging: a build and an upload for each job, on a machine that may be busy. */
vi.setConfig({ testTimeout: 1_800_000 });

describe.runIf(IS_FULL)("the deployment workflow", () => {
  it("leads the first push to staging, a tenth and everything, a second one with a host, and back", async () => {
    const databases = {
      staging: await createScratchDatabase(process.env["DATABASE_URL"] ?? ""),
      production: await createScratchDatabase(process.env["DATABASE_URL"] ?? ""),
    };
    onTestFinished(() => databases.staging.drop());
    onTestFinished(() => databases.production.drop());
    const { stage, stop } = await startAccount("", new FakeAccount({ subdomain: "acme" }));
    onTestFinished(stop);
    const repository = await openClone();
    onTestFinished(() => repository.stop());
    const { account } = stage;
    const variables = { CLOUDFLARE_API_BASE_URL: account.baseUrl, WRANGLER_SEND_METRICS: "false" };
    const runIn = async (job: Job, inputs: Readonly<Record<string, string>> = {}): Promise<string> => {
      const clone = await openClone(repository.folder);
      onTestFinished(() => clone.stop());
      const isStaging = (inputs["inputs.environment"] ?? job.environment) === "staging";
      const expressions = {
        "secrets.CLOUDFLARE_API_TOKEN": "rehearsal-token",
        "secrets.CLOUDFLARE_ACCOUNT_ID": "account",
        "secrets.DATABASE_URL": isStaging ? databases.staging.url : databases.production.url,
        ...inputs,
      };
      const printed = await runJob(job, { clone, expressions, variables });
      expect(account.wrong).toEqual([]);
      return printed;
    };
    const producer = () => account.workers.get("hopline-producer");
    const shares = () => producer()?.deployments[0]?.versions.map(({ percentage }) => percentage);
    const hosts = () =>
      account.hosts.flatMap(({ hostname, service }) => (service === "hopline-producer" ? [hostname] : []));

    // Once per environment, from somebody's own machine.
    for (const environment of ["staging", "production"] as const) {
      const own = {
        ...SECRETS,
        DATABASE_URL: databases[environment].url,
        CLOUDFLARE_API_TOKEN: "rehearsal-token",
      };
      const script = `pnpm install --frozen-lockfile && pnpm run provision --env ${environment} --account account`;
      expect(await repository.run(script, { variables: { ...variables, ...own } })).toMatchObject({
        exitCode: 0,
      });
    }
    const jobs = await readJobs(".github/workflows/deploy.yml");
    const [staging, tenth, everything, back] = ["staging", "production", "production-all", "back"].map(
      (name) => jobs.find((job) => job.name === name),
    );
    if (staging === undefined || tenth === undefined || everything === undefined || back === undefined) {
      throw new Error("a job of the workflow has another name");
    }
    expect([staging.needs, tenth.needs, everything.needs]).toEqual([["ci"], ["staging"], ["production"]]);

    for (const job of [staging, tenth, everything]) {
      await runIn(job);
    }
    expect([shares(), hosts()]).toEqual([[100], []]);

    const path = join(repository.folder, "environments.jsonc");
    const [before = "", after = ""] = (await readFile(path, "utf8")).split('"production": {');
    await writeFile(
      path,
      `${before}"production": {${after.replace('"domains": []', '"domains": ["go.example.com"]')}`,
    );
    await repository.commit();
    await runIn(staging);
    await runIn(tenth);
    expect(shares()).toEqual([10, 90]);
    await runIn(everything);
    expect([shares(), hosts()]).toEqual([[100], ["go.example.com"]]);

    const [newest, previous] = (producer()?.versions ?? []).toReversed();
    const inputs = { "inputs.environment": "production", "inputs.worker": "producer" };
    await runIn(back, { ...inputs, "inputs.version": "" });
    expect(producer()?.deployments[0]?.versions).toMatchObject([{ version_id: previous?.id }]);
    await runIn(back, { ...inputs, "inputs.version": newest?.id ?? "" });
    expect(producer()?.deployments[0]?.versions).toMatchObject([{ version_id: newest?.id }]);
  });
});
