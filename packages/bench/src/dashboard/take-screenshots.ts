/** `pnpm screenshots`: the dashboard's main pages with the data of a small business, in light and dark, for README.md and docs. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import type { Link } from "@hopline/client/openapi";
import { expectToSee, fill, press, setTheme, settle } from "@hopline/testkit/browser/drive-browser";
import { runCommandLine } from "@hopline/testkit/console/command-line";
import { consoleProgress } from "@hopline/testkit/console/progress";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { defineCommand } from "citty";
import type { Page } from "puppeteer-core";

import { type DashboardStack, withDashboard, workspacePathOf } from "./dashboard-stack.ts";
import { fillDemoBusiness } from "./demo-business.ts";
import { addDemoWebhook } from "./demo-webhook.ts";

const DIRECTORY = "docs/images";
const TIME_ZONE = "Europe/Berlin";

type Shot = {
  readonly name: string;
  readonly path: string;
  readonly size?: { readonly width: number; readonly height: number };
  /** What is done there first. */
  readonly arrange?: (page: Page) => Promise<void>;
};

const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 780 };

type Shown = { readonly workspace: string; readonly linkId: string; readonly webhookId: string };

const shotsOf = ({ workspace, linkId, webhookId }: Shown): readonly Shot[] => [
  { name: "webhook", path: `${workspace}/webhooks/${webhookId}`, size: { width: 1280, height: 760 } },
  { name: "integrity", path: "/integrity", size: { width: 1280, height: 820 } },
  { name: "links", path: `${workspace}/links` },
  {
    name: "link",
    path: `${workspace}/links/${linkId}`,
    size: { width: 1280, height: 1_050 },
    async arrange(page) {
      await fill(page, "Title", "Menu on every table");
      await press(page, "Save");
      await expectToSee(page, "expected everywhere by");
      await page.select("aside form select", "iOS");
      await press(page, "Test this visitor");
      await expectToSee(page, "Rule iphones matches.");
      await page.mouse.move(0, 0);
      await page.evaluate("scrollTo(0, 0)");
    },
  },
  { name: "analytics", path: `${workspace}/analytics`, size: { width: 1280, height: 1_000 } },
  {
    name: "hours",
    path: `${workspace}/analytics`,
    async arrange(page) {
      await press(page, "Hours");
      await page.waitForSelector(".heat");
      await page.evaluate("document.querySelector('.heat').scrollIntoView({ block: 'end' })");
    },
  },
  { name: "phone", path: `${workspace}/links`, size: PHONE },
];

const INVITATION = {
  inviterName: "Mara Lindqvist",
  workspaceName: "Harbour Café",
  role: "editor",
  bounds: { folders: ["Autumn menu"], ownLinks: true },
  account: "none",
};

const WIDTHS = [360, 390, 1280, 1920];

type State = {
  readonly name: string;
  readonly path: string;
  readonly of?: Page;
  readonly arrange?: (page: Page) => Promise<void>;
};

/** What the API answers to paths that end so. */
type Answers = { readonly [end: string]: object };

async function answer(page: Page, answers: Answers): Promise<void> {
  await page.setRequestInterception(true);
  page.on("request", (request) => {
    const found = Object.entries(answers).find(([end]) => new URL(request.url()).pathname.endsWith(end));
    return found === undefined
      ? void request.continue()
      : void request.respond({ contentType: "application/json", body: JSON.stringify(found[1]) });
  });
}

type Taken = {
  readonly links: readonly Link[];
  readonly webhookId: string;
  readonly directory: string;
  readonly isWanted: (name: string) => boolean;
};

/** Every page, and states that README.md does not show, to be looked at: `--states`. */
async function takeStates(
  page: Page,
  { appOrigin, openPage, signIn }: DashboardStack,
  { links, webhookId, directory, isWanted }: Taken,
) {
  const workspace = workspacePathOf(page);
  const send = async (method: string, path: string, body: object | null) => {
    const headers = {
      "content-type": "application/json",
      "hopline-workspace": workspace.slice("/w/".length),
    };
    const init = JSON.stringify({
      method,
      headers,
      ...(body === null ? {} : { body: JSON.stringify(body) }),
    });
    return String(await page.evaluate(`fetch("/api/v1${path}", ${init}).then((answer) => answer.text())`));
  };
  for (const { id } of links.slice(-3)) {
    await send("DELETE", `/links/${id}`, null);
  }
  const made = JSON.parse(await send("POST", "/workspaces", { name: "Roastery" })) as { readonly id: string };
  const stranger = await openPage();
  await answer(stranger, { "/invitation/details": INVITATION });
  const openSignedIn = async (answers: Answers) => {
    const opened = await signIn();
    await answer(opened, answers);
    return opened;
  };
  const { data } = JSON.parse(await send("GET", "/workspaces", null)) as { readonly data: readonly object[] };
  const bounded = data.map((one) => ({ ...one, role: "editor", bounds: { tags: ["print"], folders: [] } }));
  const folder = JSON.parse(await send("POST", "/folders", { name: "Autumn" })) as { readonly id: string };
  const bounds = { folders: [folder.id], tags: ["print"], ownLinks: true };
  await send("POST", "/keys", { name: "Agency", scopes: ["links:read"], expiresAt: null, bounds });
  await send("DELETE", `/folders/${folder.id}`, null);
  const states: readonly State[] = [
    ...[
      "links",
      "analytics",
      "events",
      "trash",
      "domains",
      "import",
      "keys",
      "webhooks",
      "audit-log",
      "workspace",
    ].map((name) => ({ name, path: `${workspace}/${name}` })),
    ...["integrity", "operators", "account"].map((name) => ({ name, path: `/${name}` })),
    { name: "link", path: `${workspace}/links/${links[0]?.id ?? ""}` },
    { name: "webhook", path: `${workspace}/webhooks/${webhookId}` },
    { name: "new-link", path: `${workspace}/links`, arrange: (at) => press(at, "New link") },
    { name: "new-key", path: `${workspace}/keys`, arrange: (at) => press(at, "New key") },
    { name: "new-webhook", path: `${workspace}/webhooks`, arrange: (at) => press(at, "New webhook") },
    { name: "no-links", path: `/w/${made.id}/links` },
    {
      name: "invite",
      path: `${workspace}/workspace`,
      of: await openSignedIn({ "/auth/options": { email: true, passkeys: true, providers: [] } }),
      arrange: (at) => press(at, "Invite colleagues"),
    },
    {
      name: "you-may",
      path: `${workspace}/workspace`,
      of: await openSignedIn({ "/api/v1/workspaces": { data: bounded, nextCursor: null } }),
    },
    { name: "invitation", path: "/invitation?token=inv_x", of: stranger },
    { name: "set-up", path: "/set-up?token=x", of: stranger },
    { name: "sign-in", path: "/sign-in", of: stranger },
  ];
  for (const { name, path, of = page, arrange } of states.filter((state) => isWanted(state.name))) {
    await of.setViewport(DESK);
    await of.goto(`${appOrigin}${path}`, { waitUntil: "networkidle2" });
    await settle(of);
    if (arrange !== undefined) {
      await arrange(of);
      await of.waitForSelector(".dialog");
    }
    for (const width of WIDTHS) {
      await of.setViewport({ width, height: 800 });
      await settle(of);
      await takeThemes(of, join(directory, `${name}-${width}`), true);
    }
  }
}

const command = defineCommand({
  meta: {
    name: "pnpm screenshots",
    description: `Draws the dashboard's main pages into ${DIRECTORY}, with simulated data; needs a Chromium`,
  },
  args: {
    only: { type: "string", valueHint: "NAME", description: "Draw these alone, with commas between them" },
    states: {
      type: "string",
      valueHint: "DIRECTORY",
      description: "Draw every page and other states instead, in four widths",
    },
  },
  async run({ args }) {
    const progress = consoleProgress();
    await withDashboard(progress, async (stack) => {
      const links = await progress.step("Data of a small business", () => fillDemoBusiness(stack));
      const page = await stack.signIn();
      await page.emulateTimezone(TIME_ZONE);
      const isWanted = (name: string) => args.only === undefined || args.only.split(",").includes(name);
      const webhookId = await addDemoWebhook(page, stack.database);
      if (args.states !== undefined) {
        await mkdir(args.states, { recursive: true });
        return await takeStates(page, stack, { links, webhookId, directory: args.states, isWanted });
      }
      const shown = { workspace: workspacePathOf(page), linkId: links[0]?.id ?? "", webhookId };
      for (const shot of shotsOf(shown)) {
        if (isWanted(shot.name)) {
          await progress.step(shot.name, () => take(page, stack.appOrigin, shot));
        }
      }
    });
  },
});

async function take(
  page: Page,
  appOrigin: string,
  { name, path, size = DESK, arrange }: Shot,
): Promise<void> {
  await page.setViewport(size);
  await page.goto(`${appOrigin}${path}`, { waitUntil: "networkidle2" });
  await settle(page);
  await arrange?.(page);
  await takeThemes(page, join(inWorkspace(DIRECTORY), name), false);
}

async function takeThemes(page: Page, file: string, fullPage: boolean): Promise<void> {
  for (const theme of ["light", "dark"]) {
    await setTheme(page, theme);
    // Two frames: what follows the theme is painted.
    await page.evaluate(
      "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))",
    );
    await page.screenshot({
      path: `${file}-${theme}.png`,
      optimizeForSpeed: false,
      fullPage,
    });
  }
}

await runCommandLine({ default: command, example: "pnpm screenshots --only links" });
