/**
 * What each index of links and link_totals costs an import: the statements of the API's own import, in a transaction that drops
 * one index before and is rolled back. WAL without images of whole pages, whose number depends on the last checkpoint; CPU of the
 * one backend that does it.
 */
import { openDatabaseServer } from "@hopline/testkit/postgres/database-server";
import { openClient } from "@hopline/testkit/postgres/open-client";
import { startSqlEndpoint } from "@hopline/testkit/sql-endpoint/sql-endpoint";
import type pg from "pg";

import { fillLinks, WORKSPACE_ID } from "../../../../workers/api/test/links/fill-links.ts";
import { addKey } from "../add-key.ts";
import { openApp } from "../analytics/analytics-section.ts";
import { readCpuMicroseconds } from "../cpu-meter.ts";
import type { Figure, Section } from "../section.ts";
import { formatTable } from "../table.ts";

/** In each half of the database; see fill-links.ts. */
const LINKS = 50_000;
const CHUNKS = 5;
const CHUNK_ROWS = 1_000;
const IMPORTED = CHUNKS * CHUNK_ROWS;
const ROUNDS = 5;

type Statement = { readonly query: string; readonly params: readonly unknown[] };
type Cost = { readonly walBytes: number; readonly cpuUs: number };

export const indexesSection: Section = {
  title: `Indexes of links: what each costs an import of ${IMPORTED} links, into ${LINKS} of 100,000`,
  async run({ rounds, say }) {
    await using server = await openDatabaseServer({
      settings: { full_page_writes: "off", autovacuum: "off" },
    });
    await using scratch = await server.createMigratedDatabase();
    await using client = await openClient(scratch.url);
    say("filling");
    await fillLinks(client, LINKS);
    const chunks = await captureImport(client, scratch.url);
    const { rows } = await client.query<{ name: string }>(
      `SELECT indexrelid::regclass::text AS name FROM pg_index
       WHERE indrelid IN ('links'::regclass, 'link_totals'::regclass) AND NOT indisprimary ORDER BY indrelid, 1`,
    );
    const samples = new Map<string | null, Cost[]>();
    await measure(client, null, chunks);
    for (let round = 0; round < (rounds ?? ROUNDS); round += 1) {
      for (const name of [null, ...rows.map((row) => row.name)]) {
        say(`round ${round + 1}, without ${name ?? "none"}`);
        samples.set(name, [...(samples.get(name) ?? []), await measure(client, name, chunks)]);
      }
    }
    return report(samples);
  },
};

/** The transactions of an import, none of which is carried out. */
async function captureImport(
  client: pg.Client,
  databaseUrl: string,
): Promise<readonly (readonly Statement[])[]> {
  await using endpoint = await startSqlEndpoint({ databaseUrl });
  const chunks: (readonly Statement[])[] = [];
  const key = await addKey(client, WORKSPACE_ID, "links:write");
  const app = openApp(databaseUrl, endpoint.url);
  endpoint.setFault(({ statements }) => {
    if (!statements.some(({ query }) => /INSERT INTO links /.test(query))) {
      return null;
    }
    chunks.push(statements);
    return { kind: "reset" };
  });
  for (let chunk = 0; chunk < CHUNKS; chunk += 1) {
    const lines = Array.from({ length: CHUNK_ROWS }, (_, row) => toLine(chunk * CHUNK_ROWS + row));
    await app.request("/api/v1/links/import", {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "text/csv" },
      body: ["slug,url,title,tags", ...lines].join("\n"),
    });
  }
  if (chunks.length !== CHUNKS) {
    throw new Error(`indexes bench: the API sent ${chunks.length} transactions for ${CHUNKS} chunks`);
  }
  return chunks;
}

function toLine(row: number): string {
  const slug = `Imported${row}`;
  return `${slug},https://shop.example.com/product/${(row * 7_919) % 100_003}?ref=${row},Summer sale ${row % 700},import|mail`;
}

async function measure(
  client: pg.Client,
  withoutIndex: string | null,
  chunks: readonly (readonly Statement[])[],
): Promise<Cost> {
  await client.query("BEGIN");
  try {
    if (withoutIndex !== null) {
      await client.query(`DROP INDEX ${withoutIndex}`);
    }
    const before = await read(client);
    for (const { query, params } of chunks.flat()) {
      await client.query(query, [...params]);
    }
    await client.query("SET CONSTRAINTS ALL IMMEDIATE");
    const after = await read(client);
    const { rows } = await client.query(
      "SELECT FROM links WHERE slug LIKE 'Imported%' AND title LIKE 'Summer sale%'",
    );
    if (rows.length !== IMPORTED) {
      throw new Error(`indexes bench: ${rows.length} links were written without ${withoutIndex}`);
    }
    return { walBytes: after.walBytes - before.walBytes, cpuUs: after.cpuUs - before.cpuUs };
  } finally {
    await client.query("ROLLBACK");
    await client.query("VACUUM links, link_totals, link_versions, addresses, work");
  }
}

async function read(client: pg.Client): Promise<Cost> {
  const { rows } = await client.query<{ pid: number; bytes: string }>(
    "SELECT pg_backend_pid() AS pid, pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS bytes",
  );
  return { walBytes: Number(rows[0]?.bytes), cpuUs: readCpuMicroseconds(rows[0]?.pid ?? 0) };
}

function report(samples: ReadonlyMap<string | null, readonly Cost[]>) {
  // The least of the rounds: whatever else runs on the machine only adds.
  const leastOf = (name: string | null, of: keyof Cost) =>
    Math.min(...(samples.get(name) ?? []).map((cost) => cost[of])) / IMPORTED;
  const [walBytes, cpuUs] = [leastOf(null, "walBytes"), leastOf(null, "cpuUs")];
  const costs = [...samples.keys()]
    .filter((name) => name !== null)
    .map((name) => ({
      name,
      walBytes: walBytes - leastOf(name, "walBytes"),
      cpuUs: cpuUs - leastOf(name, "cpuUs"),
    }))
    .toSorted((one, other) => other.cpuUs - one.cpuUs);
  return {
    figures: [
      { name: "indexes.link.cpu", value: cpuUs, unit: "µs" },
      ...costs.map((cost): Figure => ({ name: `indexes.${cost.name}.cpu`, value: cost.cpuUs, unit: "µs" })),
    ] satisfies readonly Figure[],
    lines: [
      `an imported link: ${walBytes.toFixed(0)} bytes of WAL, ${cpuUs.toFixed(0)} µs of CPU; of that:`,
      ...formatTable([
        ["", "WAL, bytes", "CPU, µs"],
        ...costs.map((cost) => [cost.name, cost.walBytes.toFixed(0), cost.cpuUs.toFixed(1)]),
      ]),
    ],
  };
}
