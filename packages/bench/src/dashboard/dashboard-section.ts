/**
 * The dashboard in a real Chromium: what interactions on the table take with 100,000 links in it, from Chromium's trace, and how
 * pages load, by the metrics that Lighthouse reports. On this machine and without a network between: compare with other runs here.
 * What the API takes for such lists is the section `lists`; here it answers for fourteen links, and pages of the list are copied.
 */
import { setTimeout as delay } from "node:timers/promises";

import type { Link } from "@hopline/client/openapi";
import type { SentRequest } from "@hopline/testkit/browser/drive-browser";
import { consoleProgress } from "@hopline/testkit/console/progress";
import type { Page } from "puppeteer-core";

import type { Figure, Section } from "../section.ts";
import { median, percentile } from "../statistics.ts";
import { formatTable } from "../table.ts";
import { type DashboardStack, withDashboard, workspacePathOf } from "./dashboard-stack.ts";
import { fillDemoBusiness } from "./demo-business.ts";
import { type Interaction, readInteractions } from "./interactions.ts";
import { type PageMetrics, watchPage } from "./page-metrics.ts";

const LINKS = 100_000;
const ROUNDS = 5;
const REPEATS = 20;
const PAGE_LINKS = 5_000;
/** After 100,000 links were read: collecting what that left is not the first key's. */
const SETTLE_MS = 2_000;
/** Longer than a tail of rendering: what comes after is not this interaction's. */
const REST_MS = 120;

const PAGES = [
  { name: "sign-in", path: "/sign-in", ready: "form" },
  { name: "links", path: "/links", ready: ".table-body .link-row" },
  { name: "analytics", path: "/analytics", ready: ".figure strong" },
  { name: "links-throttled", path: "/links", ready: ".table-body .link-row" },
] as const;

/** Of Lighthouse for a desk (`desktopDense4G`): 40 ms, 10 Mbit/s. Nothing is compressed here, as it would be on the way. */
const THROTTLED = { latency: 40, download: (10 * 1_024 * 1_024) / 8, upload: (10 * 1_024 * 1_024) / 8 };

export const dashboardSection: Section = {
  title: `Dashboard: interactions with ${LINKS} links, and how pages load`,
  run: ({ rounds, say }) =>
    withDashboard(consoleProgress(), async (stack) => {
      say("filling");
      const links = await fillDemoBusiness(stack);
      const loads = await measureLoads(stack, rounds ?? ROUNDS, say);
      const { drawnRows, readMs, interactions } = await measureTable(await stack.signIn(), links, say);
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
            {
              name: `dashboard.${name}.usable`,
              unit: "ms",
              value: median(of("usableMs")),
              samples: of("usableMs"),
            },
            { name: `dashboard.${name}.cls`, unit: "x", value: median(of("cls")), samples: of("cls") },
          ];
        }),
      ];
      return {
        figures,
        lines: [
          `${LINKS} links read in ${(readMs / 1_000).toFixed(0)} s in pages of ${PAGE_LINKS}; ${drawnRows} rows are drawn`,
          ...formatTable([
            ["interaction, ms until the next frame", "median", "worst"],
            ...interactions.map(({ name, durations }) => [
              name,
              median(durations).toFixed(0),
              Math.max(...durations).toFixed(0),
            ]),
          ]),
          ...formatTable([
            ["page, median", "LCP, ms", "usable, ms", "TBT, ms", "CLS"],
            ...loads.map(({ name, metrics }) => [
              name,
              median(metrics.map(({ lcpMs }) => lcpMs)).toFixed(0),
              median(metrics.map(({ usableMs }) => usableMs)).toFixed(0),
              median(metrics.map(({ tbtMs }) => tbtMs)).toFixed(0),
              median(metrics.map(({ cls }) => cls)).toFixed(3),
            ]),
          ]),
        ],
      };
    }),
};

type Loads = { readonly name: string; readonly metrics: readonly PageMetrics[] };

/** Each with an empty cache, one after the other. */
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
      await page.emulateNetworkConditions(name === "links-throttled" ? THROTTLED : null);
      const address = who === "stranger" ? path : workspacePathOf(owner) + path;
      await page.goto(`${stack.appOrigin}${address}`, { waitUntil: "networkidle0" });
      await page.waitForSelector(ready);
      metrics.get(name)?.push(await readers[who]());
    }
  }
  return PAGES.map(({ name }) => ({ name, metrics: metrics.get(name) ?? [] }));
}

/** Reads all links into the table, then presses keys and the pointer as a person would. */
async function measureTable(page: Page, links: readonly Link[], say: (status: string) => void) {
  const startedAtMs = performance.now();
  page.on("request", (request) => answer(request, links));
  await page.setRequestInterception(true);
  await page.reload();
  await page.waitForSelector(".table-body .link-row");
  await page.focus("[role=grid]");
  for (let isWhole = false; !isWhole;) {
    await page.keyboard.press("End");
    isWhole = (await page.evaluate(IS_WHOLE)) === true;
  }
  const readMs = performance.now() - startedAtMs;
  const drawnRows = Number(await page.evaluate("document.querySelectorAll('.table-body .link-row').length"));
  const interactions: Interaction[] = [];
  const measure = async (name: string, repeats: number, act: (index: number) => Promise<unknown>) => {
    say(name);
    await page.tracing.start({ categories: ["devtools.timeline"] });
    await delay(REST_MS);
    for (let index = 0; index < repeats; index += 1) {
      await act(index);
      await delay(REST_MS);
    }
    const trace = await page.tracing.stop();
    interactions.push({ name, durations: readInteractions(trace ?? new Uint8Array()) });
  };
  await page.keyboard.press("Home");
  await delay(SETTLE_MS);
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
const IS_WHOLE = "Number(document.querySelector('[role=grid]').getAttribute('aria-rowcount')) > 0";

/** A page of the list has copies of the links, each under an id and a slug of its own; everything else is the API's answer. */
function answer(request: SentRequest, links: readonly Link[]): void {
  const { pathname, searchParams } = new URL(request.url());
  if (pathname !== "/api/v1/links") {
    void request.continue();
    return;
  }
  const first = Number(searchParams.get("cursor") ?? 0);
  const data = Array.from({ length: PAGE_LINKS }, (_, index) => {
    const link = links[(first + index) % links.length];
    return { ...link, id: `lnk_${first + index}`, slug: `${link?.slug ?? ""}-${first + index}` };
  });
  const next = first + PAGE_LINKS;
  const body = JSON.stringify({ data, nextCursor: next < LINKS ? String(next) : null });
  void request.respond({ status: 200, contentType: "application/json", body });
}
