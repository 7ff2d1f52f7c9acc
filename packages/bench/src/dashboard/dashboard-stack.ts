/** The production bundles with the dashboard on a throw-away database, and a Chromium in which the owner is signed in. */
import { openPage, launchBrowser, press } from "@hopline/testkit/browser/drive-browser";
import type { Progress } from "@hopline/testkit/console/progress";
import { openDatabaseServer } from "@hopline/testkit/postgres/database-server";
import { findFreePort } from "@hopline/testkit/postgres/free-port";
import { createSignInLink } from "@hopline/testkit/stack/sign-in-link";
import { buildWorkers } from "@hopline/testkit/workspace/build-workers";
import type { Client } from "pg";
import type { Page } from "puppeteer-core";

import { withStack } from "../with-stack.ts";

export type DashboardStack = {
  readonly database: Client;
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
  await buildWorkers(progress);
  await using server = await openDatabaseServer();
  const dashboardPort = await findFreePort();
  const appOrigin = `http://localhost:${dashboardPort}`;
  const vars = { APP_ORIGIN: appOrigin, SIGN_UP: "invited", DATABASE_TIMEOUT_MS: "10000" };
  const onError = (message: string) => progress.line(message);
  return await withStack(
    server,
    { vars, dashboardPort, onError },
    async ({ database, databaseUrl, sqlEndpoint }) => {
      await using browser = await launchBrowser();
      const open = async () => (await openPage(browser, appOrigin)).page;
      return await work({
        database,
        databaseUrl,
        sqlEndpointUrl: sqlEndpoint.url,
        appOrigin,
        openPage: open,
        signIn: async () => signIn(await open(), await createSignInLink(databaseUrl, appOrigin)),
      });
    },
  );
}

async function signIn(page: Page, link: string | null): Promise<Page> {
  if (link === null) {
    throw new Error("invariant: the data have an owner");
  }
  await page.goto(link);
  await press(page, "Sign in", "button");
  await page.waitForFunction("location.pathname.endsWith('/links')");
  return page;
}

/** The path of the workspace that a signed-in page shows: `/w/ws_…`. */
export function workspacePathOf(page: Page): string {
  const { pathname } = new URL(page.url());
  const found = /^\/w\/[^/]+/.exec(pathname)?.[0];
  if (found === undefined) {
    throw new Error(`The page is at ${pathname}, in no workspace.`);
  }
  return found;
}
