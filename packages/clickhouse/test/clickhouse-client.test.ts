import { expect, it } from "vitest";
import { type ClickHouse, createClickHouse } from "../src/clickhouse-client.ts";
import { deleteOldClicks } from "../src/store/delete-clicks.ts";

const TIMEOUT_MS = 5_000;
const ROWS = '{"meta": [], "data": [{"clicks": 1}, {"clicks": 2}], "rows": 2}\n';
const EXCEPTION =
  "Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED) (version 25.3.1.1)";

/** Of each request. */
async function settingsOf(ask: (clickHouse: ClickHouse) => Promise<unknown>) {
  const asked: Readonly<Record<string, string>>[] = [];
  const clickHouse = createClickHouse("http://clickhouse.example:8123/clicks", async (url) => {
    asked.push(Object.fromEntries(new URL(String(url)).searchParams));
    return new Response(ROWS);
  });
  await ask(clickHouse);
  return asked;
}

const select = (body: string) =>
  createClickHouse("http://user:password@clickhouse.example:8123/clicks", async () => {
    return new Response(body);
  }).select("SELECT clicks FROM clicks", {}, TIMEOUT_MS);

it("asks each replica for everything that was inserted, also by way of another one, and for one snapshot of it", async () => {
  const [settings] = await settingsOf((clickHouse) => clickHouse.select("SELECT 1", {}, TIMEOUT_MS));
  expect(settings).toMatchObject({
    select_sequential_consistency: "1",
    enable_shared_storage_snapshot_in_query: "1",
  });
});

it("has inserted clicks when most replicas and each shard have them, also those that were inserted before", async () => {
  const [settings] = await settingsOf((clickHouse) => clickHouse.insert("INSERT", "", TIMEOUT_MS));
  expect(settings).toMatchObject({
    insert_quorum: "auto",
    distributed_foreground_insert: "1",
    async_insert: "0",
    insert_deduplicate: "0",
  });
});

it("has deleted clicks when they are gone from every replica", async () => {
  const asked: string[] = [];
  const clickHouse = createClickHouse("http://clickhouse.example:8123/clicks", async (_url, init) => {
    asked.push(String(init?.body));
    return new Response(ROWS);
  });
  await deleteOldClicks(clickHouse, Date.UTC(2026, 0), TIMEOUT_MS);
  expect(asked.at(-1)).toMatch(/^DELETE FROM clicks WHERE .* SETTINGS lightweight_deletes_sync = 2$/);
});

it("reads the rows of an answer that is whole", async () => {
  expect(await select(ROWS)).toEqual([{ clicks: 1 }, { clicks: 2 }]);
});

it.each([
  ["that was cut off inside a row", ROWS.slice(0, 40)],
  ["that was cut off after a row", ROWS.slice(0, 29)],
  ["that ends in an exception", `${ROWS.slice(0, 29)}\n${EXCEPTION}`],
  [
    "that holds an exception, as version 25.3 writes it",
    ROWS.replace("}\n", `, "exception": "${EXCEPTION}"}\n`),
  ],
  ["of a proxy", "<html>Please sign in</html>"],
  ["that is no answer of ClickHouse", '{"error": "no route"}'],
  ["that is empty", ""],
])("rejects an answer %s, rather than read fewer rows", async (_what, body) => {
  await expect(select(body)).rejects.toThrow(expect.objectContaining({ name: "ClickHouse.unavailable" }));
});

it("says so if ClickHouse is too old to know what it is asked for", async () => {
  const body =
    "Code: 115. DB::Exception: Unknown setting 'enable_shared'. (UNKNOWN_SETTING) (version 25.3.1.1)";
  const clickHouse = createClickHouse("http://clickhouse.example:8123/clicks", async () => {
    return new Response(body, { status: 404 });
  });
  await expect(clickHouse.select("SELECT 1", {}, TIMEOUT_MS)).rejects.toThrow(
    "ClickHouse is too old. Use 26.3 or newer.",
  );
});
