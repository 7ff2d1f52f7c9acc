/** Judges a database: its version and edition, and its schema beside the migrations of the checkout. Pure. */
import type { Migration } from "@hopline/testkit/postgres/migration-files";
import { describeCapabilities, type ServerCapabilities } from "@hopline/testkit/postgres/server-capabilities";
import { concern, fault, type Finding, good } from "./finding.ts";

export type DatabaseFacts = {
  /** Fit for a log. */
  readonly where: string;
  readonly capabilities: ServerCapabilities;
  /** Version to checksum; empty where nothing was ever applied. */
  readonly applied: ReadonlyMap<number, string>;
  /** Whether click_events is cut into chunks by time. */
  readonly isHypertable: boolean;
};

const MIN_SERVER_MAJOR = 15;

export function judgeDatabase(facts: DatabaseFacts, migrations: readonly Migration[]): readonly Finding[] {
  return [judgeServer(facts), ...judgeEdition(facts), ...judgeSchema(facts, migrations)];
}

function judgeServer({ where, capabilities }: DatabaseFacts): Finding {
  return Number.parseInt(capabilities.serverVersion, 10) >= MIN_SERVER_MAJOR
    ? good("database", where, describeCapabilities(capabilities))
    : fault(
        "database",
        where,
        `Postgres ${capabilities.serverVersion} is too old`,
        `Use ${MIN_SERVER_MAJOR} or newer.`,
      );
}

function judgeEdition({ where, capabilities, applied, isHypertable }: DatabaseFacts): readonly Finding[] {
  if (applied.size === 0 || isHypertable) {
    return [];
  }
  return capabilities.timescale === null
    ? [
        concern(
          "database",
          where,
          "click_events is one table: without TimescaleDB old clicks are deleted row by row",
          "Fine up to some ten million clicks; see docs/scaling.md.",
        ),
      ]
    : [
        concern(
          "database",
          where,
          "TimescaleDB is there, but click_events was made before it and is one table",
          "See docs/scaling.md, Chunks.",
        ),
      ];
}

function judgeSchema(
  { where, applied }: DatabaseFacts,
  migrations: readonly Migration[],
): readonly Finding[] {
  const newest = Math.max(0, ...applied.keys());
  if (newest > migrations.length) {
    return [
      fault(
        "schema",
        where,
        `it has migration ${newest}, and this checkout ends at ${migrations.length}`,
        "Update the checkout before you deploy from it.",
      ),
    ];
  }
  const missing = migrations.filter(({ version }) => !applied.has(version));
  const changed = migrations.filter(
    ({ version, checksum }) => applied.has(version) && applied.get(version) !== checksum,
  );
  const names = (list: readonly Migration[]) => list.map(({ fileName }) => fileName).join(", ");
  const findings = [
    ...(missing.length === 0
      ? []
      : [fault("schema", where, `not applied: ${names(missing)}`, "Run `pnpm migrate`, or deploy.")]),
    ...(changed.length === 0
      ? []
      : [
          fault(
            "schema",
            where,
            `changed after they were applied: ${names(changed)}`,
            "Restore the files, and put the change into a new migration.",
          ),
        ]),
  ];
  return findings.length > 0
    ? findings
    : [good("schema", where, `all ${migrations.length} migrations are applied`)];
}
