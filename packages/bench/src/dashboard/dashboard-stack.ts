/** The production bundles with the dashboard on a throw-away database, and a Chromium in which the owner is signed in. */
import { openPage, launchBrowser, press } from "@hopline/testkit/browser/drive-browser";
import type { Progress } from "@hopline/testkit/console/progress";
import { openDatabaseServer } from "@hopline/testkit/postgres/database-server";
import { toClientConfig } from "@hopline/testkit/postgres/database-url";
import { findFreePort } from "@hopline/testkit/postgres/free-port";
import { startWorkers } from "@hopline/testkit/runtime/worker-runtime";
import { startSqlEndpoint } from "@hopline/testkit/sql-endpoint/sql-endpoint";
import { createSignInLink } from "@hopline/testkit/stack/sign-in-link";
import { buildWorkers } from "@hopline/testkit/workspace/build-workers";
import { inWorkspace, WORKERS } from "@hopline/testkit/workspace/workspace";
import pg from "pg";
import type { Page } from "puppeteer-core";

const PLACEHOLDER_DATABASE_URL = "postgresql://local:local@database.local.invalid/hopline";

export type DashboardStack = {
  readonly database: pg.Client;
  readonly databaseUrl: string;
  readonly sqlEndpointUrl: string;
  /** Of the dashboard, without a slash at the end. */
  readonly appOrigin: string;
  /** A page of a new browser profile, signed in as the first owner. */
  readonly signIn: () => Promise<Page>;
  /** The same, of a stranger. */
  readonly openPage: () => Promise<Page>;
};

export async function withDashboard<T>(
  progress: Progress,
  work: (stack: DashboardStack) => Promise<T>,
): Promise<T> {
  const endings: (() => Promise<unknown>)[] = [];
  try {
    await buildWorkers(progress);
    const server = await openDatabaseServer();
    endings.push(() => server.stop());
    const scratch = await server.createMigratedDatabase();
    endings.push(() => scratch.drop());
    const sqlEndpoint = await startSqlEndpoint({ databaseUrl: scratch.url });
    endings.push(() => sqlEndpoint.stop());
    const database = new pg.Client(toClientConfig(scratch.url));
    await database.connect();
    endings.push(() => database.end());
    const dashboardPort = await findFreePort();
    const appOrigin = `http://localhost:${dashboardPort}`;
    const runtime = await startWorkers({
      bundles: WORKERS.map(({ configPath, bundleDirectory }) => ({
        configPath: inWorkspace(configPath),
        scriptPath: inWorkspace(`${bundleDirectory}/index.js`),
      })),
      databaseUrl: PLACEHOLDER_DATABASE_URL,
      sqlEndpointUrl: sqlEndpoint.url,
      vars: { APP_ORIGIN: appOrigin, SIGN_UP: "invited", DATABASE_TIMEOUT_MS: "10000" },
      port: 0,
      dashboardPort,
      persistDirectory: null,
      onLog: ({ level, message }) => (level === "error" ? progress.line(message) : undefined),
    });
    endings.push(() => runtime.stop());
    const browser = await launchBrowser();
    endings.push(() => browser.close());
    const open = async () => (await openPage(browser, appOrigin)).page;
    return await work({
      database,
      databaseUrl: scratch.url,
      sqlEndpointUrl: sqlEndpoint.url,
      appOrigin,
      openPage: open,
      async signIn() {
        const page = await open();
        const link = await createSignInLink(scratch.url, appOrigin);
        if (link === null) {
          throw new Error("invariant: the data have an owner");
        }
        await page.goto(link);
        await press(page, "Sign in", "button");
        await page.waitForFunction("location.pathname === '/links'");
        return page;
      },
    });
  } finally {
    for (const end of endings.toReversed()) {
      await end();
    }
  }
}
