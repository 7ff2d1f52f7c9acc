/** Stores whose delivery ends after one of its three steps: the look-up, the insert into ClickHouse, the count in Postgres. */
import type { Stores } from "../src/store/count-in-clickhouse.ts";

/** `null`: it does not. */
export type Crash = "looked up" | "inserted" | "counted" | null;

export function dyingStores({ runSql, clickHouse }: Stores, crash: Crash): Stores {
  let statements = 0;
  const dieIf = (isThere: boolean): void => {
    if (isThere) {
      throw new Error("crashed");
    }
  };
  return {
    runSql: async (statement, timeoutMs) => {
      statements += 1;
      dieIf(crash === "inserted" && statements === 2);
      const rows = await runSql(statement, timeoutMs);
      dieIf(crash === "counted" && statements === 2);
      return rows;
    },
    clickHouse: {
      ...clickHouse,
      insert: async (...given) => {
        dieIf(crash === "looked up");
        await clickHouse.insert(...given);
      },
    },
  };
}
