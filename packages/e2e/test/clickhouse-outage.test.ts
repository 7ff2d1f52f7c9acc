/**
 * ClickHouse is killed for a minute and Postgres for fifteen seconds of it, under visitors who never stop; only with `--full`. Every
 * redirect is counted, once, by `pnpm reconcile` and by the answers of both engines.
 */
import { CLICKHOUSE_HINT, HAS_CLICKHOUSE } from "@hopline/testkit/clickhouse/engine-cache";
import { type ClickHouseServer, startClickHouse } from "@hopline/testkit/clickhouse/clickhouse-server";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { IS_FULL } from "../../core/test/runs.ts";
import { startVisitors, type Visitors } from "./chaos/steady-visitors.ts";
import { type LocalStack, openLocalStack } from "./local-stack.ts";
import { runCommand } from "./run-command.ts";

const SLUGS = ["hello", "docs", "grüße", "🚀"];
const BROWSERS = [
  "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15",
];
const REDIRECTS_PER_SECOND = Number(process.env["OUTAGE_RATE"] ?? 500);
const VISITORS = 50;
const PATIENCE_MS = 180_000;
/** What was retried for a minute waits for up to a quarter of an hour. */
const LAST_RETRY_MS = 900_000;

describe.runIf(IS_FULL && HAS_CLICKHOUSE)(`An outage of both stores${CLICKHOUSE_HINT}`, () => {
  let stack: LocalStack;
  let clickHouse: ClickHouseServer;
  let visitors: Visitors;
  const run = (name: string, ...args: readonly string[]) =>
    runCommand(name, args, {
      environment: { DATABASE_URL: stack.databaseUrl, CLICKHOUSE_URL: clickHouse.url },
    });
  const counted = async (): Promise<number> => {
    const { rows } = await stack.database.query<{ readonly clicks: string }>(
      "SELECT coalesce(sum(clicks), 0) AS clicks FROM workspace_rollups",
    );
    return Number(rows[0]?.clicks);
  };
  const untilCounted = (clicks: () => number, timeout = PATIENCE_MS) =>
    vi.waitFor(async () => expect(await counted()).toBeGreaterThanOrEqual(clicks()), {
      timeout,
      interval: 500,
    });
  const answers = async () => {
    const today = { period: "today" as const, class: ["all"] };
    const lists = ["browser", "referrer", "link"] as const;
    const [totals, ...found] = await Promise.all([
      stack.hopline.readTotals({ ...today, visitors: true }),
      ...lists.map((dimension) => stack.hopline.readBreakdown({ ...today, dimension })),
    ]);
    const { clicks, visitors: people, range } = totals;
    return {
      clicks,
      people,
      complete: range.complete,
      lists: found.map(({ values, total }) => ({ values, total })),
    };
  };

  beforeAll(async () => {
    clickHouse = await startClickHouse();
    stack = await openLocalStack({
      hasOwnServer: true,
      furtherIsolates: [{}],
      vars: { CLICKHOUSE_URL: clickHouse.url },
    });
    const { code, output } = await run("clickhouse", "on");
    if (code !== 0) {
      throw new Error(output);
    }
    visitors = startVisitors({
      origins: [stack.runtime.producerUrl, ...stack.runtime.furtherUrls],
      host: stack.demo.host,
      slugs: SLUGS,
      visitorsAtOnce: VISITORS,
      pauseMs: (VISITORS * 1_000) / REDIRECTS_PER_SECOND,
      headersOf: (visit) => ({
        "user-agent": BROWSERS[visit % BROWSERS.length] ?? "",
        "cf-connecting-ip": `203.0.113.${visit % 200}`,
        referer: `https://site-${visit % 7}.example/`,
      }),
    });
  }, PATIENCE_MS);
  afterAll(async () => {
    await visitors?.stop();
    await stack?.close();
    await clickHouse?.stop();
  });

  it(
    "of ClickHouse for a minute, and of Postgres for fifteen seconds of it, redirects everybody",
    async () => {
      await untilCounted(() => 1_000);
      const before = visitors.redirects();
      await clickHouse.kill();
      await delay(20_000);
      await stack.postgres?.halt("crash");
      await delay(15_000);
      await stack.postgres?.start();
      await delay(25_000);
      const during = (visitors.redirects() - before) / 60;
      await clickHouse.restart();
      await untilCounted(() => before + 1);
      await visitors.stop();
      console.log(
        `${during.toFixed(0)} redirects a second during the outage, ${visitors.redirects()} in all`,
      );
      expect(visitors.answers()).toEqual({ 302: expect.any(Number) });
    },
    2 * PATIENCE_MS,
  );

  it(
    "loses no click and counts none twice, by reconcile and by both engines' answers",
    async () => {
      await untilCounted(() => visitors.redirects(), LAST_RETRY_MS);
      expect(await stack.runtime.drain(60_000)).toBe(0);
      const redirects = visitors.redirects();
      const reconcile = async () => {
        const { code, output } = await run("reconcile", "--json");
        expect(JSON.parse(output)).toMatchObject({
          accepted: redirects,
          inserted: redirects,
          missing: 0,
          addsUp: true,
        });
        expect(code).toBe(0);
        return output;
      };
      expect(JSON.parse(await reconcile())).toMatchObject({ clickHouse: { different: 0 } });
      const inClickHouse = await answers();
      expect(inClickHouse).toMatchObject({ clicks: redirects, complete: true });
      expect(inClickHouse.lists.map(({ total }) => total)).toEqual([redirects, redirects, redirects]);
      expect(await run("clickhouse", "off")).toMatchObject({ code: 0 });
      await reconcile();
      expect(await answers()).toEqual(inClickHouse);
    },
    PATIENCE_MS + LAST_RETRY_MS,
  );
});
