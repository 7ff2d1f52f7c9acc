/**
 * The dashboard in a real Chromium: what interactions on the table take with 100,000 links in it, from Chromium's trace, and how
 * pages load, by the metrics that Lighthouse reports. On this machine and without a network between: compare with other runs here.
 */
import { consoleProgress } from "@hopline/testkit/console/progress";
import type { Page } from "puppeteer-core";

import { fillLinks, WORKSPACE_ID } from "../../../../workers/api/test/links/fill-links.ts";
import type { Figure, Section } from "../section.ts";
import { median, percentile } from "../statistics.ts";
import { formatTable } from "../table.ts";
import { type DashboardStack, withDashboard } from "./dashboard-stack.ts";
import { type Interaction, readInteractions } from "./interactions.ts";
import { type PageMetrics, watchPage } from "./page-metrics.ts";

const LINKS = 100_000;
const ROUNDS = 5;
const REPEATS = 20;
const OWNER_ID = "0198f3c2-0000-7000-8000-000000000011";
/** Longer than a tail of rendering: what comes after is not this interaction's. */
const REST_MS = 120;

const PAGES = [
  { name: "sign-in", path: "/sign-in", ready: "form" },
  { name: "links", path: "/links", ready: ".table-body .link-row" },
  { name: "analytics", path: "/analytics", ready: ".figure strong" },
] as const;

export const dashboardSection: Section = {
  title: `Dashboard: interactions with ${LINKS} links, and how pages load`,
  run: ({ rounds, say }) =>
    withDashboard(consoleProgress(), async (stack) => {
      say("filling");
      await fillLinks(stack.database, LINKS);
      await addOwner(stack);
      const loads = await measureLoads(stack, rounds ?? ROUNDS, say);
      const { drawnRows, readMs, interactions } = await measureTable(await stack.signIn(), say);
      const figures = [
        ...interactions.flatMap(({ name, durations }): Figure[] => [
          { name: `dashboard.${name}.median`, unit: "ms", value: median(durations) },
          { name: `dashboard.${name}.worst`, unit: "ms", value: Math.max(...durations) },
        ]),
        {
          name: "dashboard.interaction.p98",
          unit: "ms",
          value: percentile(
            interactions.flatMap(({ durations }) => [...durations]),
            98,
          ),
        } satisfies Figure,
        ...loads.flatMap(({ name, metrics }): Figure[] => {
          const of = (metric: keyof PageMetrics) => metrics.map((one) => one[metric]);
          return [
            { name: `dashboard.${name}.lcp`, unit: "ms", value: median(of("lcpMs")), samples: of("lcpMs") },
            { name: `dashboard.${name}.tbt`, unit: "ms", value: median(of("tbtMs")), samples: of("tbtMs") },
            { name: `dashboard.${name}.cls`, unit: "x", value: median(of("cls")), samples: of("cls") },
          ];
        }),
      ];
      return {
        figures,
        lines: [
          `${LINKS} links read in ${(readMs / 1_000).toFixed(0)} s by holding End; ${drawnRows} rows are drawn`,
          ...formatTable([
            ["interaction, ms until the next frame", "median", "worst"],
            ...interactions.map(({ name, durations }) => [
              name,
              median(durations).toFixed(0),
              Math.max(...durations).toFixed(0),
            ]),
          ]),
          ...formatTable([
            ["page, median", "LCP, ms", "TBT, ms", "CLS"],
            ...loads.map(({ name, metrics }) => [
              name,
              median(metrics.map(({ lcpMs }) => lcpMs)).toFixed(0),
              median(metrics.map(({ tbtMs }) => tbtMs)).toFixed(0),
              median(metrics.map(({ cls }) => cls)).toFixed(3),
            ]),
          ]),
        ],
      };
    }),
};

async function addOwner({ database }: DashboardStack): Promise<void> {
  // fillLinks writes around the triggers, and leaves it so.
  await database.query("SET session_replication_role = origin");
  await database.query(
    "INSERT INTO people (id, name, email, email_verified) VALUES ($1, 'Ada', 'ada@example.com', true)",
    [OWNER_ID],
  );
  await database.query(
    "INSERT INTO members (id, workspace_id, person_id, role) VALUES (gen_random_uuid(), $1, $2, 'owner')",
    [WORKSPACE_ID, OWNER_ID],
  );
}

type Loads = { readonly name: string; readonly metrics: readonly PageMetrics[] };

/** Each with an empty cache, in turn. */
async function measureLoads(
  stack: DashboardStack,
  rounds: number,
  say: (status: string) => void,
): Promise<readonly Loads[]> {
  const metrics = new Map<string, PageMetrics[]>(PAGES.map(({ name }) => [name, []]));
  const [stranger, owner] = [await stack.openPage(), await stack.signIn()];
  await Promise.all([stranger, owner].map((page) => page.setCacheEnabled(false)));
  const readers = { stranger: await watchPage(stranger), owner: await watchPage(owner) };
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, path, ready } of PAGES) {
      say(`${path}, round ${round + 1}`);
      const who = path === "/sign-in" ? "stranger" : "owner";
      const page = who === "stranger" ? stranger : owner;
      await page.goto(`${stack.appOrigin}${path}`, { waitUntil: "networkidle0" });
      await page.waitForSelector(ready);
      metrics.get(name)?.push(await readers[who]());
    }
  }
  return PAGES.map(({ name }) => ({ name, metrics: metrics.get(name) ?? [] }));
}

/** Reads all links into the table, then presses keys and the pointer as somebody would. */
async function measureTable(page: Page, say: (status: string) => void) {
  await page.waitForSelector(".table-body .link-row");
  const startedAtMs = performance.now();
  await page.focus("[role=grid]");
  for (;;) {
    await page.keyboard.press("End");
    const { rows, isWhole } = (await page.evaluate(TABLE_STATE)) as { rows: number; isWhole: boolean };
    if (isWhole) {
      break;
    }
    say(`${rows} rows are read`);
  }
  const readMs = performance.now() - startedAtMs;
  const drawnRows = Number(await page.evaluate("document.querySelectorAll('.table-body .link-row').length"));
  const interactions: Interaction[] = [];
  const measure = async (name: string, repeats: number, act: (index: number) => Promise<unknown>) => {
    say(name);
    await page.tracing.start({ categories: ["devtools.timeline"] });
    for (let index = 0; index < repeats; index += 1) {
      await act(index);
      await new Promise((resolve) => setTimeout(resolve, REST_MS));
    }
    const trace = await page.tracing.stop();
    interactions.push({ name, durations: readInteractions(trace ?? new Uint8Array()) });
  };
  await page.keyboard.press("Home");
  await measure("arrow", REPEATS, () => page.keyboard.press("ArrowDown"));
  await measure("page-down", REPEATS, () => page.keyboard.press("PageDown"));
  await measure("end-and-home", REPEATS, (index) => page.keyboard.press(index % 2 === 0 ? "End" : "Home"));
  await measure("choose", REPEATS, () => page.keyboard.press("x"));
  await measure("choose-all", 4, () => page.click(".head .checkbox"));
  await measure("type-into-search", 8, (index) =>
    page.type("input[type=search]", "newsletter".charAt(index)),
  );
  return { readMs, drawnRows, interactions };
}

/** The grid knows how many rows it has once it has all of them. */
const TABLE_STATE = `(() => {
  const grid = document.querySelector("[role=grid]");
  const rows = Math.round(grid.querySelector(".table-body").clientHeight / 58);
  return { rows, isWhole: Number(grid.getAttribute("aria-rowcount")) > 0 };
})()`;
