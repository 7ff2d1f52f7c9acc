/**
 * Times every question of the analytics over ten million clicks of 90 days, through the application itself, over a scratch
 * database that is filled first (some minutes). BENCH_DATABASE_URL names one that is filled already, BENCH_QUESTION a part of
 * the names of the questions to ask.
 */
import { openDatabaseServer } from "@hopline/testkit/postgres/database-server";
import { migrate } from "@hopline/testkit/postgres/migrate";
import { startSqlEndpoint } from "@hopline/testkit/sql-endpoint/sql-endpoint";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";

import { addKey, openApp, withClient } from "../api/open-app.ts";
import type { Section, SectionOptions, SectionReport } from "../section.ts";
import { checkAnswers } from "./check-answers.ts";
import { fillClicks, WORKSPACE_ID } from "./fill-clicks.ts";
import { timeQuestions } from "./time-questions.ts";
import { toReport } from "./analytics-report.ts";

const CLICKS = 10_000_000;
const ROUNDS = 20;

export const analyticsSection: Section = {
  title: "Analytics: every question over 10 million clicks of 90 days",
  async run(options) {
    const filled = process.env["BENCH_DATABASE_URL"];
    if (filled !== undefined) {
      return measure(filled, options);
    }
    const server = await openDatabaseServer();
    const scratch = await server.createScratchDatabase();
    try {
      await migrate(scratch.url, { directory: inWorkspace("migrations"), onProgress: () => undefined });
      await withClient(scratch.url, (client) =>
        withClient(scratch.url, (other) =>
          fillClicks([client, other], { clicks: CLICKS, onStep: (what) => options.say(`filling: ${what}`) }),
        ),
      );
      return await measure(scratch.url, options);
    } finally {
      await scratch.drop();
      await server.stop();
    }
  },
};

async function measure(databaseUrl: string, { rounds, say }: SectionOptions): Promise<SectionReport> {
  const endpoint = await startSqlEndpoint({ databaseUrl });
  try {
    const key = await withClient(databaseUrl, (client) => addKey(client, WORKSPACE_ID, "analytics:read"));
    const app = openApp(databaseUrl, endpoint.url);
    say("checking the answers");
    await withClient(databaseUrl, (client) =>
      checkAnswers(client, async (path, parameters) => {
        const url = `/api/v1/analytics/${path}?${new URLSearchParams(parameters).toString()}`;
        const response = await app.request(url, { headers: { authorization: `Bearer ${key}` } });
        return response.status === 200 ? response.json() : {};
      }),
    );
    const only = process.env["BENCH_QUESTION"] ?? "";
    return toReport(await timeQuestions(app, { key, rounds: rounds ?? ROUNDS, only, say }));
  } finally {
    await endpoint.stop();
  }
}
