/** Reads a database and judges it: its version and edition, and its schema against the migrations of the checkout. */
import { type Sql, sql } from "@hopline/db/sql";
import { type Backlog, FIND_BACKLOG } from "@hopline/db/work/find-backlog";
import type pg from "pg";

import { describeDatabase } from "@hopline/testkit/postgres/database-url";
import { openClient } from "@hopline/testkit/postgres/open-client";
import type { Migration } from "@hopline/testkit/postgres/migration-files";
import {
  describeCapabilities,
  readCapabilities,
  type ServerCapabilities,
} from "@hopline/testkit/postgres/server-capabilities";
import { runOn } from "../operate/direct-sql.ts";
import { about, type Finding } from "./finding.ts";

export type DatabaseFacts = {
  /** Fit for a log. */
  readonly where: string;
  readonly capabilities: ServerCapabilities;
  /** Version to checksum; empty where nothing was ever applied. */
  readonly applied: ReadonlyMap<number, string>;
  /** Whether click_events is cut into chunks by time. */
  readonly isHypertable: boolean;
  /** In use since before hosts had to be proved, with their workspaces: `go.example.com (ws_…)`. */
  readonly unprovedHosts: readonly string[];
  /** Their TXT record is gone. */
  readonly losingHosts: readonly string[];
  /** Leased work by kind; empty where nothing waits, or before the table is there. */
  readonly backlog: readonly Backlog[];
  /** Writes to KV today, where KV_WRITES_PER_DAY limits them; `null`: it does not, or nothing was written yet. */
  readonly kvWrites: number | null;
};

const MIN_SERVER_MAJOR = 15;
/** As long as the alert for imports waits, the slowest of the work that runs all the time. */
const OLD_WORK_SECONDS = 300;
const UNPROVED = sql`proof = 'vouched' AND proved_at IS NULL`;
const HOSTS = sql`
  SELECT host || ' (ws_' || replace(workspace_id::text, '-', '') || ')' AS host, ${UNPROVED} AS "isUnproved"
  FROM domains WHERE deleted_at IS NULL AND (${UNPROVED} OR missing_since IS NOT NULL) ORDER BY host`;
const HYPERTABLE = sql`SELECT 1 FROM timescaledb_information.hypertables WHERE hypertable_name = 'click_events'`;

/** Only reads, and no table that may be missing. Rejects with a `Failure` when the server cannot be reached. */
export async function readDatabase(databaseUrl: string): Promise<DatabaseFacts> {
  await using client = await openClient(databaseUrl);
  const capabilities = await readCapabilities(client);
  const hypertables = capabilities.timescale === null ? [] : await runOn(client, HYPERTABLE);
  return {
    where: describeDatabase(databaseUrl),
    capabilities,
    applied: await readApplied(client),
    isHypertable: hypertables.length > 0,
    ...(await readHosts(client)),
    backlog: (await readFrom(client, "work", FIND_BACKLOG)) as readonly Backlog[],
    kvWrites: await readKvWrites(client),
  };
}

/** No rows where the relation is not there yet. */
async function readFrom(client: pg.Client, relation: string, statement: Sql) {
  const found = await runOn(client, sql`SELECT 1 WHERE to_regclass(${relation}) IS NOT NULL`);
  return found.length === 0 ? [] : runOn(client, statement);
}

async function readApplied(client: pg.Client): Promise<ReadonlyMap<number, string>> {
  const statement = sql`SELECT version, checksum FROM schema_migrations`;
  const rows = await readFrom(client, "schema_migrations", statement);
  return new Map(rows.map((row) => [Number(row["version"]), String(row["checksum"])]));
}

async function readHosts(client: pg.Client): Promise<Pick<DatabaseFacts, "unprovedHosts" | "losingHosts">> {
  const hosts = await readFrom(client, "domains_by_host_and_workspace", HOSTS);
  const named = (isUnproved: boolean) =>
    hosts.filter((row) => row["isUnproved"] === isUnproved).map(({ host }) => String(host));
  return { unprovedHosts: named(true), losingHosts: named(false) };
}

async function readKvWrites(client: pg.Client): Promise<DatabaseFacts["kvWrites"]> {
  const statement = sql`SELECT writes FROM kv_writes WHERE day = (now() AT TIME ZONE 'UTC')::date`;
  const [row] = await readFrom(client, "kv_writes", statement);
  return row === undefined ? null : Number(row["writes"]);
}

export function judgeDatabase(facts: DatabaseFacts, migrations: readonly Migration[]): readonly Finding[] {
  const { where, capabilities, applied, isHypertable } = facts;
  const database = about("database", where);
  const findings = [
    Number.parseInt(capabilities.serverVersion, 10) >= MIN_SERVER_MAJOR
      ? database.good(describeCapabilities(capabilities))
      : database.fault(
          `Postgres ${capabilities.serverVersion} is too old`,
          `Use ${MIN_SERVER_MAJOR} or newer.`,
        ),
  ];
  if (applied.size > 0 && !isHypertable) {
    findings.push(
      capabilities.timescale === null
        ? database.concern(
            "click_events is one table: without TimescaleDB old clicks are deleted row by row",
            "Fine up to some ten million clicks; see docs/scaling.md.",
          )
        : database.concern(
            "TimescaleDB is there, but click_events was made before it and is one table",
            "See docs/scaling.md, Chunks.",
          ),
    );
  }
  return [...findings, ...judgeHosts(facts), ...judgeSchema(facts, migrations), ...judgeBacklog(facts)];
}

function judgeHosts({ where, unprovedHosts, losingHosts }: DatabaseFacts): readonly Finding[] {
  const hosts = about("database", where);
  const findings: Finding[] = [];
  if (unprovedHosts.length > 0) {
    findings.push(
      hosts.concern(
        `hosts in use that are not proved: ${listSome(unprovedHosts)}`,
        "Review them: docs/domains.md, Vouching for hosts.",
      ),
    );
  }
  if (losingHosts.length > 0) {
    const todo = "Tell their owners: after seven days without it, the links stop.";
    findings.push(hosts.concern(`hosts whose TXT record is gone: ${listSome(losingHosts)}`, todo));
  }
  return findings;
}

const MAX_LISTED = 20;

function listSome(hosts: readonly string[]): string {
  const rest = hosts.length - MAX_LISTED;
  return hosts.slice(0, MAX_LISTED).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

/** Only where KV_WRITES_PER_DAY is set are they counted: on Workers Free. */
const KV_WRITES_OF_FREE = 1_000;

function judgeKvWrites(writes: number, work: ReturnType<typeof about>): Finding {
  const what = `today ${writes} writes to KV`;
  return writes < KV_WRITES_OF_FREE
    ? work.good(what)
    : work.concern(
        `${what}: Workers Free takes ${KV_WRITES_OF_FREE}`,
        "Edits wait for KV until 00:00 UTC, and reach visitors by the change feed. To have none wait, change to Workers Paid.",
      );
}

/** A line for each kind of work that waits: progress while it is young, trouble when it is old. */
function judgeBacklog({ where, backlog, kvWrites }: DatabaseFacts): readonly Finding[] {
  const work = about("work", where);
  const budget = kvWrites === null ? [] : [judgeKvWrites(kvWrites, work)];
  const kinds = backlog.flatMap(({ kind, waiting, oldestSeconds, failing, lastError }) => {
    if (waiting + failing === 0) {
      return [];
    }
    const what = `${kind}: ${waiting} waiting, the oldest for ${Math.round(oldestSeconds)} s, ${failing} failing`;
    return oldestSeconds > OLD_WORK_SECONDS
      ? work.concern(
          lastError === null ? what : `${what}, mostly with ${lastError}`,
          "See docs/run-book.md, Work that waits.",
        )
      : work.good(what);
  });
  return [...kinds, ...budget];
}

function judgeSchema(
  { where, applied }: DatabaseFacts,
  migrations: readonly Migration[],
): readonly Finding[] {
  const schema = about("schema", where);
  const newest = Math.max(0, ...applied.keys());
  if (newest > migrations.length) {
    const what = `it has migration ${newest}, and this checkout ends at ${migrations.length}`;
    return [schema.fault(what, "Update the checkout before you deploy from it.")];
  }
  const list = (isWrong: (migration: Migration) => boolean): string =>
    migrations
      .filter(isWrong)
      .map(({ fileName }) => fileName)
      .join(", ");
  const missing = list(({ version }) => !applied.has(version));
  const changed = list(({ version, checksum }) => (applied.get(version) ?? checksum) !== checksum);
  const findings: Finding[] = [];
  if (missing !== "") {
    findings.push(schema.fault(`not applied: ${missing}`, "Run `pnpm migrate`, or deploy."));
  }
  if (changed !== "") {
    const todo = "Restore the files, and put the change into a new migration.";
    findings.push(schema.fault(`changed after they were applied: ${changed}`, todo));
  }
  return findings.length > 0 ? findings : [schema.good(`all ${migrations.length} migrations are applied`)];
}
