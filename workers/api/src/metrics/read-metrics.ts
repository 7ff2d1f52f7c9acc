/** All that GET /api/metrics has, as families for a scrape or as single numbers for the alert rules. Reject as the database does. */
import type { Sample } from "@hopline/core/alerts/judge-alerts";
import type { Database } from "../database.ts";
import { type Family, samplesOf } from "./exposition.ts";
import { readCounters, readMissing } from "./read-counters.ts";
import { toFamilies } from "./to-families.ts";

export async function readFamilies(database: Database): Promise<readonly Family[]> {
  const [counters, missing] = await Promise.all([readCounters(database), readMissing(database)]);
  return toFamilies(counters, missing);
}

export async function readSamples(database: Database): Promise<readonly Sample[]> {
  return (await readFamilies(database))
    .flatMap(samplesOf)
    .map(({ value, ...sample }) => ({ ...sample, value: Number(value) }));
}
