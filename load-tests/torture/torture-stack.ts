/** What is tortured: a Postgres of its own, perhaps a ClickHouse, the /sql endpoint, the production bundles in workerd and a receiver of webhooks. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClickHouse } from "@hopline/clickhouse/clickhouse-client";
import { compareStores } from "@hopline/clickhouse/compare-stores";
import { moveToClickHouse } from "@hopline/clickhouse/move/to-clickhouse";
import { migrateGivenClickHouse } from "@hopline/ops/operate/clickhouse";
import { withSqlOf } from "@hopline/ops/operate/direct-sql";
import { startClickHouse } from "@hopline/testkit/clickhouse/clickhouse-server";
import { buildWorkers } from "@hopline/testkit/workspace/build-workers";
import type { Progress } from "@hopline/testkit/console/progress";
import { toClientConfig } from "@hopline/testkit/postgres/database-url";
import { DURABLE, startPostgres } from "@hopline/testkit/postgres/postgres-server";
import { migrateForWorkers } from "@hopline/testkit/postgres/scratch-database";
import { asRole } from "@hopline/testkit/postgres/worker-roles";
import { startWorkers } from "@hopline/testkit/runtime/worker-runtime";
import { startSqlEndpoint } from "@hopline/testkit/sql-endpoint/sql-endpoint";
import { seedDemo } from "@hopline/testkit/stack/seed";
import { BUNDLES } from "@hopline/testkit/workspace/workspace";
import { execa } from "execa";
import pg from "pg";
import type { Ending } from "../run/load-stack.ts";
import type { Fault } from "./schedule.ts";
import { createArrange } from "./worker-entries.ts";

/** Of Debian's package `libfaketime`, which lets a process read another time. */
const FAKETIME = `/usr/lib/${process.arch === "arm64" ? "aarch64" : "x86_64"}-linux-gnu/faketime/libfaketime.so.1`;
const STORE_TIMEOUT_MS = 120_000;

/** With room for the log, and for each click in its tables, indexes, delivery and what a comparison sorts. */
const DISK_MIB = 768;
const VISITS_PER_MIB = 400;

export type TortureStack = Awaited<ReturnType<typeof startTortureStack>>;

export async function startTortureStack({
  progress,
  endings,
  isActive,
  onLog,
  visits,
  timescale,
  hasClickHouse,
}: {
  readonly visits: number;
  /** The folder of the programs of a Postgres that has TimescaleDB. */
  readonly timescale: string | null;
  /** Whether clicks are counted there. */
  readonly hasClickHouse: boolean;
  readonly progress: Progress;
  readonly endings: Ending[];
  readonly isActive: (fault: Fault) => boolean;
  readonly onLog: (line: string) => void;
}) {
  await buildWorkers(progress);
  const directory = await mkdtemp(join(tmpdir(), "hopline-torture-"));
  endings.push(() => rm(directory, { recursive: true, force: true }));
  const disk = await mountSmallDisk(directory, DISK_MIB + Math.ceil(visits / VISITS_PER_MIB), endings);
  const clock = await arrangeClock(endings);
  const postgres = await progress.step("Postgres", () =>
    startPostgres({
      settings: {
        ...DURABLE,
        max_wal_size: "256MB",
        ...(timescale === null ? {} : { shared_preload_libraries: "timescaledb" }),
      },
      ...(timescale === null ? {} : { programs: timescale }),
      ...(clock === null ? {} : { environment: clock.environment }),
      ...(disk === null ? {} : { dataDirectory: join(disk, "postgres") }),
    }),
  );
  endings.push(() => postgres.stop());
  await migrateForWorkers(postgres.url);
  const clickHouse = hasClickHouse ? await countInClickHouse(postgres.url, { progress, endings }) : null;
  const sqlEndpoint = await startSqlEndpoint({ databaseUrl: postgres.url });
  endings.push(() => sqlEndpoint.stop());
  const database = new pg.Pool({ ...toClientConfig(postgres.url), max: 2 });
  database.on("error", () => undefined);
  endings.push(() => database.end());
  const arrange = createArrange(isActive);
  const runtime = await progress.step("Workers", () =>
    startWorkers({
      bundles: BUNDLES,
      databaseUrl: asRole("hopline_reader"),
      sqlEndpointUrl: sqlEndpoint.url,
      port: 0,
      persistDirectory: null,
      arrange: (worker) =>
        arrange({
          ...worker,
          bindings: {
            ...worker.bindings,
            DATABASE_URL: asRole(worker.name),
            CLICKHOUSE_URL: clickHouse?.server.url ?? "",
          },
        }),
      onLog: ({ message }) => onLog(message),
    }),
  );
  endings.push(() => runtime.stop());
  const { apiKey } = await seedDemo({
    databaseUrl: postgres.url,
    stateDirectory: directory,
    host: new URL(runtime.producerUrl).host,
  });
  // Beside the small disk: a receiver without room is not what is to be seen.
  const ownDirectory = await mkdtemp(join(tmpdir(), "hopline-receiver-"));
  endings.push(() => rm(ownDirectory, { recursive: true, force: true }));
  const receiver = await startReceiver(join(ownDirectory, "received"), endings);
  return { postgres, disk, clock, clickHouse, sqlEndpoint, database, runtime, apiKey, receiver };
}

/** The clock of Postgres' processes; `null` where this machine has no libfaketime: then it keeps going well. */
async function arrangeClock(endings: Ending[]) {
  if (!existsSync(FAKETIME)) {
    return null;
  }
  const directory = await mkdtemp(join(tmpdir(), "hopline-clock-"));
  endings.push(() => rm(directory, { recursive: true, force: true }));
  await chmod(directory, 0o755);
  const path = join(directory, "offset");
  const step = (seconds: number): Promise<void> =>
    writeFile(path, seconds < 0 ? `${seconds}` : `+${seconds}`);
  await step(0);
  const environment = {
    LD_PRELOAD: FAKETIME,
    FAKETIME_TIMESTAMP_FILE: path,
    FAKETIME_CACHE_DURATION: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  };
  return { environment, step };
}

async function countInClickHouse(
  databaseUrl: string,
  { progress, endings }: { readonly progress: Progress; readonly endings: Ending[] },
) {
  const server = await progress.step("ClickHouse", () => startClickHouse());
  endings.push(() => server.stop());
  await migrateGivenClickHouse(server.url, () => undefined);
  const clickHouse = createClickHouse(server.url);
  const timeoutMs = STORE_TIMEOUT_MS;
  await withSqlOf(databaseUrl, (runSql) =>
    moveToClickHouse({ runSql, clickHouse, timeoutMs, onProgress: () => undefined }),
  );
  return {
    server,
    countEvents: async (): Promise<number> => {
      const [row] = await clickHouse.select(
        "SELECT uniqExact(event_id) AS events FROM clicks",
        {},
        timeoutMs,
      );
      return Number(row?.["events"]);
    },
    /** How many quarters of an hour the two stores count differently. */
    countDifferent: async (): Promise<number> => {
      const { different } = await withSqlOf(databaseUrl, (runSql) =>
        compareStores({ runSql, clickHouse }, { sinceMs: 0, untilMs: Date.now() }, timeoutMs),
      );
      return different;
    },
  };
}

/** `null` where this process may mount nothing: then no disk is filled. */
async function mountSmallDisk(
  directory: string,
  mebibytes: number,
  endings: Ending[],
): Promise<string | null> {
  const mounted = await execa(
    "mount",
    ["-t", "tmpfs", "-o", `size=${mebibytes}m,mode=0777`, "tmpfs", directory],
    {
      reject: false,
    },
  );
  if (mounted.exitCode !== 0) {
    return null;
  }
  endings.push(() => execa("umount", ["--lazy", directory]));
  return directory;
}

async function startReceiver(path: string, endings: Ending[]) {
  let end = async (): Promise<void> => undefined;
  let port = 0;
  const start = async (): Promise<void> => {
    const program = join(import.meta.dirname, "receiver.ts");
    const running = spawn(process.execPath, [program, path, String(port)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    end = async () => {
      const isOver = running.exitCode === null && running.signalCode === null ? once(running, "exit") : null;
      running.kill("SIGKILL");
      await isOver;
    };
    const [line] = await once(running.stdout, "data");
    port = Number(line);
  };
  const kill = (): Promise<void> => end();
  await start();
  endings.push(kill);
  return {
    url: `http://127.0.0.1:${port}/`,
    start,
    kill,
    /** Ids of clicks, each once. */
    read: async () =>
      new Set((await readFile(path, "utf8").catch(() => "")).split("\n").filter((id) => id !== "")),
  };
}
