/**
 * ClickHouse's real engine, emptied by each life that counts in it. Nothing that Workers ask of it reads its clock, and it merges no parts:
 * when it did would differ from run to run.
 */
import { createClickHouse } from "@hopline/clickhouse/clickhouse-client";
import { migrateClickHouse } from "@hopline/clickhouse/schema/migrate-clickhouse";
import { startClickHouse } from "@hopline/testkit/clickhouse/clickhouse-server";
import { HAS_CLICKHOUSE } from "@hopline/testkit/clickhouse/engine-cache";
import { readMigrations } from "@hopline/testkit/postgres/migration-files";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import type { Row } from "./postgres.ts";

export type SimulatedClickHouse = NonNullable<Awaited<ReturnType<typeof openSimulatedClickHouse>>>;

/** Under which Workers know it. */
const ORIGIN = "http://clickhouse.simulated.example";
export const CLICKHOUSE_URL = ORIGIN.replace("//", "//hopline:local@").concat("/default");
export const isForClickHouse = (url: string): boolean => url.startsWith(ORIGIN);

const TIMEOUT_MS = 60_000;
const CLICKS = "SELECT event_id, clicked_at, workspace_id, link_id, country FROM clicks FINAL";
const NEVER_MERGE = "ALTER TABLE clicks MODIFY SETTING max_bytes_to_merge_at_max_space_in_pool = 1";

/** `null` where the engine is not on this machine. */
export async function openSimulatedClickHouse() {
  if (!HAS_CLICKHOUSE) {
    return null;
  }
  const server = await startClickHouse({ isInMemory: true });
  const clickHouse = createClickHouse(server.url);
  await migrateClickHouse(clickHouse, readMigrations(inWorkspace("migrations/clickhouse")), {
    kind: "single",
  });
  await clickHouse.execute(NEVER_MERGE, {}, TIMEOUT_MS);
  return {
    async answer(url: string, init: RequestInit): Promise<Response> {
      const { pathname, searchParams } = new URL(url);
      // Of the real time, which depends on the machine.
      searchParams.delete("max_execution_time");
      const path = `${pathname}?${searchParams.toString()}`;
      const answer = await fetch(new URL(path, new URL(server.url).origin), { ...init, signal: null });
      return new Response(await answer.text(), answer);
    },
    /** Each click that it has, once. */
    findClicks: (): Promise<readonly Row[]> => clickHouse.select(CLICKS, {}, TIMEOUT_MS),
    empty: (): Promise<void> => clickHouse.execute("TRUNCATE TABLE clicks", {}, TIMEOUT_MS),
    close: (): Promise<void> => server.stop(),
  };
}
