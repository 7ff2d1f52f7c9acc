/**
 * The ClickHouse client. `@clickhouse/client-web` weighs 52 KB and is imported with the first statement, so that a Worker
 * without CLICKHOUSE_URL never loads it.
 */
import type { ClickHouseClient, ClickHouseSettings } from "@clickhouse/client-web";

export type ClickHouseRow = { readonly [column: string]: unknown };

export type Parameters = Readonly<Record<string, unknown>>;

/** All of them reject with a `ClickHouseFailure`. */
export type ClickHouse = {
  /** Parameters are written `{name:Type}` in the query. */
  readonly select: (
    query: string,
    parameters: Parameters,
    timeoutMs: number,
  ) => Promise<readonly ClickHouseRow[]>;
  /**
   * `INSERT INTO … FORMAT …`, and the data in that format. Inserted again if it was inserted before: what was removed in between has to
   * come back.
   */
  readonly insert: (statement: string, data: string, timeoutMs: number) => Promise<void>;
  /** A statement without a result. */
  readonly execute: (statement: string, parameters: Parameters, timeoutMs: number) => Promise<void>;
};

/** Its name says which error it was: `ClickHouse.UNKNOWN_TABLE`, or `ClickHouse.unavailable` where no answer came. */
export class ClickHouseFailure extends Error {
  /** As ClickHouse names it; `null` if no answer came, and then the statement may have been carried out all the same. */
  readonly type: string | null;

  constructor(message: string, type: string | null) {
    super(message);
    this.name = `ClickHouse.${type ?? "unavailable"}`;
    this.type = type;
  }
}

/** The first LTS release whose statements read one snapshot of a table. */
export const MIN_VERSION = [26, 3] as const;

const OF_SELECT = {
  // A balancer, as in front of ClickHouse Cloud, may lead each statement to another replica, which has not the newest clicks yet. A single
  // server has nothing to wait for.
  select_sequential_consistency: "1",
  // All of a statement reads one snapshot of a table.
  enable_shared_storage_snapshot_in_query: 1,
  // Ids of a tag's links make long statements.
  max_query_size: "1000000000",
} as const;

/** ClickHouse stops a statement at its own limit; the connection is given up a little later. */
const GRACE_MS = 2_000;

/**
 * Nothing is loaded or checked before the first statement.
 *
 * @param url `https://user:password@host:8443/database`
 * @param fetcher in place of the global `fetch`, for tests.
 */
export function createClickHouse(url: string, fetcher?: typeof fetch): ClickHouse {
  let opened: Promise<ClickHouseClient> | undefined;
  const run = async <T>(
    timeoutMs: number,
    work: (client: ClickHouseClient, limits: Limits) => Promise<T>,
  ): Promise<T> => {
    opened ??= open(url, fetcher);
    try {
      return await work(await opened, {
        abort_signal: AbortSignal.timeout(timeoutMs + GRACE_MS),
        clickhouse_settings: { max_execution_time: Math.max(1, Math.ceil(timeoutMs / 1_000)) },
      });
    } catch (error) {
      throw toFailure(error);
    }
  };
  return {
    select: (query, parameters, timeoutMs) =>
      run(timeoutMs, async (client, limits) => {
        // Not JSONEachRow: it has no end, so an answer that was cut off would be one of fewer rows.
        const request = {
          ...limits,
          clickhouse_settings: { ...limits.clickhouse_settings, ...OF_SELECT },
          query,
          query_params: { ...parameters },
          format: "JSON",
        } as const;
        return toRows(await (await client.query(request)).json());
      }),
    insert: (statement, data, timeoutMs) =>
      run(timeoutMs, async (client, limits) => {
        const settings = {
          ...limits.clickhouse_settings,
          insert_deduplicate: 0,
          // Of replicas; a single server has none, and Cloud does it anyway.
          insert_quorum: "auto",
          // A table that is distributed answers when the shards have the rows.
          distributed_foreground_insert: 1,
          async_insert: 0,
        } as const;
        await client.command({ ...limits, clickhouse_settings: settings, query: `${statement}\n${data}` });
      }),
    execute: (statement, parameters, timeoutMs) =>
      run(timeoutMs, async (client, limits) => {
        await client.command({ ...limits, query: statement, query_params: { ...parameters } });
      }),
  };
}

type Limits = { readonly abort_signal: AbortSignal; readonly clickhouse_settings: ClickHouseSettings };

async function open(url: string, fetcher: typeof fetch | undefined): Promise<ClickHouseClient> {
  const { createClient } = await import("./client-library.ts");
  try {
    return createClient({
      url,
      // Ours are shorter, and differ from statement to statement.
      request_timeout: 3_600_000,
      keep_alive: { enabled: false },
      // Filters may be long: then they go into the request's body.
      use_multipart_params_auto: true,
      log: { level: 127 },
      ...(fetcher === undefined ? {} : { fetch: fetcher }),
    });
  } catch {
    // The original message may quote the password.
    throw new ClickHouseFailure(
      "CLICKHOUSE_URL is not an address of ClickHouse. Expected https://user:password@host:8443/database.",
      "BAD_URL",
    );
  }
}

/** A failure after the first rows is a field beside them. */
function toRows(answer: object): readonly ClickHouseRow[] {
  if ("exception" in answer) {
    throw new ClickHouseFailure(String(answer.exception), null);
  }
  if (!("data" in answer && Array.isArray(answer.data))) {
    throw new ClickHouseFailure(
      "The answer is not one of ClickHouse: look what CLICKHOUSE_URL leads to.",
      null,
    );
  }
  return answer.data;
}

/** ClickHouse's own errors have a `type`. Others mean that no answer came. */
function toFailure(error: unknown): ClickHouseFailure {
  if (error instanceof ClickHouseFailure) {
    return error;
  }
  const message = error instanceof Error ? error.message : String(error);
  const type =
    error instanceof Error && "type" in error && typeof error.type === "string" ? error.type : null;
  const isOld = type === "UNKNOWN_SETTING";
  return new ClickHouseFailure(
    isOld ? `ClickHouse is too old. Use ${MIN_VERSION.join(".")} or newer.` : message,
    type,
  );
}
