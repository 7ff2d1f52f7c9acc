/** The official client against the front: what it sends is understood, and what it is answered is what it expects. */
import { type ClickHouseClient, ClickHouseError, createClient } from "@clickhouse/client-web";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type ClickHouseServer, startClickHouse } from "../src/clickhouse/clickhouse-server.ts";
import { CLICKHOUSE_HINT, HAS_CLICKHOUSE } from "../src/clickhouse/engine-cache.ts";

describe.skipIf(!HAS_CLICKHOUSE)(`ClickHouse over HTTP${CLICKHOUSE_HINT}`, () => {
  let server: ClickHouseServer;
  let client: ClickHouseClient;
  const select = async (query: string, parameters: Record<string, unknown> = {}): Promise<unknown> =>
    (await client.query({ query, query_params: parameters, format: "JSONEachRow" })).json();

  beforeAll(async () => {
    server = await startClickHouse();
    client = createClient({ url: server.url, use_multipart_params_auto: true });
    await client.command({
      query: `CREATE TABLE pairs (name String, value Nullable(UInt64)) ENGINE = MergeTree ORDER BY name
        SETTINGS non_replicated_deduplication_window = 100`,
    });
  });
  afterAll(() => server?.stop());

  it("takes parameters of any text, arrays and nulls among them", async () => {
    const text = 'O\'Reilly \\ "quoted"\ttab\nline 東京';
    const query =
      "SELECT {text:String} AS text, {list:Array(String)} AS list, {missing:Nullable(String)} AS missing";
    expect(await select(query, { text, list: ["a", text], missing: null })).toEqual([
      { text, list: ["a", text], missing: null },
    ]);
  });

  it("takes parameters that are too long for a URL", async () => {
    const list = Array.from({ length: 20_000 }, (_, index) => `a ${index} 'b'\t\\`);
    const query = "SELECT length({list:Array(String)}) AS length, {list:Array(String)}[20000] AS last";
    expect(await select(query, { list })).toEqual([{ length: 20_000, last: list.at(-1) }]);
  });

  it("inserts rows once for a token, however often they are sent", async () => {
    const insert = (token: string) =>
      client.insert({
        table: "pairs",
        values: [{ name: "a", value: 1 }, { name: "東京" }],
        format: "JSONEachRow",
        clickhouse_settings: { insert_deduplication_token: token },
      });
    await insert("one");
    await insert("one");
    await insert("two");
    expect(await select("SELECT name, count() AS n FROM pairs GROUP BY name ORDER BY name")).toEqual([
      { name: "a", n: 2 },
      { name: "東京", n: 2 },
    ]);
  });

  it("applies settings to their own statement only", async () => {
    const readThreads = async (settings: { max_threads?: number }) => {
      const query = "SELECT getSetting('max_threads') AS threads";
      const result = await client.query({ query, clickhouse_settings: settings, format: "JSONEachRow" });
      return result.json();
    };
    const before = await readThreads({});
    expect(await readThreads({ max_threads: 3 })).toEqual([{ threads: 3 }]);
    expect(await readThreads({})).toEqual(before);
  });

  it("reports errors with ClickHouse's code and name", async () => {
    const failure = await select("SELECT nothing FROM pairs").catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ClickHouseError);
    expect(failure).toMatchObject({ code: "47", type: "UNKNOWN_IDENTIFIER" });
  });

  it("refuses a wrong password", async () => {
    const url = new URL(server.url);
    url.password = "wrong";
    const stranger = createClient({ url });
    await expect(stranger.query({ query: "SELECT 1" })).rejects.toMatchObject({ code: "516" });
  });

  it("keeps what was inserted when it is killed", async () => {
    const insert = { table: "pairs", values: [{ name: "kept" }], format: "JSONEachRow" } as const;
    await client.insert(insert);
    await server.kill();
    await expect(client.insert(insert)).rejects.toThrow("fetch failed");
    await server.restart();
    expect(await select("SELECT count() AS n FROM pairs WHERE name = 'kept'")).toEqual([{ n: 1 }]);
  });
});
