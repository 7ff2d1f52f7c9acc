/**
 * What a month costs at a given traffic. Pure: prices and assumptions go in, a line for each service comes out.
 *
 * The two numbers that decide the bill are not known in advance, because Cloudflare alone decides how many isolates
 * share the traffic: how many clicks fill a segment, and how many redirects find their link in the isolate. Here both
 * follow from one assumption, the number of busy isolates; a running deployment can measure them.
 */
import { dollarsFor, type Price, PRICES } from "./prices.ts";

export type Traffic = {
  readonly redirectsPerDay: number;
  /** Isolates that share the traffic evenly. */
  readonly busyIsolates: number;
  /** Data centres with an isolate in use. */
  readonly dataCentres: number;
  /** Share of redirects that the isolate's cache does not answer. */
  readonly kvReadShare: number;
  readonly linkChangesPerDay: number;
  readonly shards: number;
  /** Clicks stay this long in the database. */
  readonly retentionDays: number;
};

export type Packing =
  | { readonly kind: "one_message_per_click" }
  | { readonly kind: "segments"; readonly lingerMs: number };

/** Measured or assumed; each with its origin in docs/capacity-and-cost.md. */
export const ASSUMPTIONS = {
  daysPerMonth: 30,
  cpuMsPerRedirect: 0.5,
  cpuMsPerClickConsumed: 0.1,
  maxClicksPerSegment: 100,
  maxBatchMessages: 100,
  batchTimeoutSeconds: 2,
  /** A message is written, read and deleted. */
  queueOperationsPerMessage: 3,
  feedReadsPerSecond: 1,
  objectGigabytes: 0.128,
  peakOverMean: 3,
  clicksPerSecondPerCu: 5_000,
  minCu: 0.25,
  bytesPerClick: 397,
  cubeBytesPerClick: 304 + 40,
  bytesPerLogLine: 400,
  logRetentionDays: 7,
} as const;

export type CostLine = { readonly service: string; readonly quantity: string; readonly dollars: number };

const SECONDS_PER_DAY = 86_400;
const GIGABYTE = 1e9;
const HOURS_PER_DAY = 24;

/** Clicks in a segment: the first one, and those that reach its isolate while it lingers. */
export function clicksPerSegment(traffic: Traffic, packing: Packing): number {
  if (packing.kind === "one_message_per_click") {
    return 1;
  }
  const perIsolate = traffic.redirectsPerDay / SECONDS_PER_DAY / traffic.busyIsolates;
  return Math.min(ASSUMPTIONS.maxClicksPerSegment, 1 + (perIsolate * packing.lingerMs) / 1000);
}

/** Neon's compute units for the traffic's peak. They come in quarters up to one, then in whole numbers. */
export function computeUnits(traffic: Traffic): number {
  const peak = (traffic.redirectsPerDay / SECONDS_PER_DAY) * ASSUMPTIONS.peakOverMean;
  const needed = peak / ASSUMPTIONS.clicksPerSecondPerCu;
  return needed <= 1 ? Math.max(ASSUMPTIONS.minCu, Math.ceil(needed * 4) / 4) : Math.ceil(needed);
}

/** Every line of the bill that Hopline causes. Each redirect is one click. */
export function estimateMonth(traffic: Traffic, packing: Packing): readonly CostLine[] {
  const { daysPerMonth } = ASSUMPTIONS;
  const redirects = traffic.redirectsPerDay * daysPerMonth;
  const messages = redirects / clicksPerSegment(traffic, packing);
  const batches = countBatches(traffic, messages);
  const cpuMs = redirects * (ASSUMPTIONS.cpuMsPerRedirect + ASSUMPTIONS.cpuMsPerClickConsumed);
  const seconds = daysPerMonth * SECONDS_PER_DAY;
  const perCentre = traffic.redirectsPerDay / SECONDS_PER_DAY / traffic.dataCentres;
  const feedReads = traffic.dataCentres * Math.min(ASSUMPTIONS.feedReadsPerSecond, perCentre) * seconds;
  const kvReads = redirects * traffic.kvReadShare;
  const changes = traffic.linkChangesPerDay * daysPerMonth;
  const operations = messages * ASSUMPTIONS.queueOperationsPerMessage;
  const cuHours = computeUnits(traffic) * HOURS_PER_DAY * daysPerMonth;
  const logGb = (batches * ASSUMPTIONS.bytesPerLogLine) / GIGABYTE;
  const storedGb = countStoredBytes(traffic) / GIGABYTE;
  const priced = (service: string, quantity: number, price: Price): CostLine => ({
    service,
    quantity: formatQuantity(quantity),
    dollars: dollarsFor(quantity, price),
  });
  return [
    { service: "Workers plan", quantity: "", dollars: PRICES.workersPlanDollars },
    priced("Worker requests", redirects + batches, PRICES.workerRequests),
    priced("Worker CPU, ms", cpuMs, PRICES.workerCpuMs),
    priced("KV reads", kvReads, PRICES.kvReads),
    priced("KV writes", changes, PRICES.kvWrites),
    priced("Queue operations", operations, PRICES.queueOperations),
    priced("Change feed requests", feedReads, PRICES.objectRequests),
    priced("Change feed, GB-s", seconds * ASSUMPTIONS.objectGigabytes, PRICES.objectGigabyteSeconds),
    priced("Logs, GB", logGb, PRICES.logGigabytes),
    priced("Logs kept, GB", (logGb * ASSUMPTIONS.logRetentionDays) / daysPerMonth, PRICES.logGigabyteMonths),
    priced("Neon, CU-hours", cuHours, PRICES.neonCuHours),
    priced("Neon storage, GB", storedGb, PRICES.neonStorageGbMonths),
  ];
}

/** What the cube has grown to after a year: it is kept, whatever the retention, so it is in no month's sum. */
export function estimateCube({ redirectsPerDay }: Traffic): CostLine {
  const gigabytes = (redirectsPerDay * 365 * ASSUMPTIONS.cubeBytesPerClick) / GIGABYTE;
  return {
    service: "Cube in a year, GB",
    quantity: formatQuantity(gigabytes),
    dollars: dollarsFor(gigabytes, PRICES.neonStorageGbMonths),
  };
}

export function totalDollars(lines: readonly CostLine[]): number {
  return lines.reduce((sum, { dollars }) => sum + dollars, 0);
}

/** `412`, `3.2 k`, `30 M`, `1.1 B` */
export function formatQuantity(quantity: number): string {
  const [size, unit] = (
    [
      [1e9, " B"],
      [1e6, " M"],
      [1e3, " k"],
      [1, ""],
    ] as const
  ).find(([least]) => quantity >= least) ?? [1, ""];
  const scaled = quantity / size;
  return `${scaled >= 100 || Number.isInteger(scaled) ? Math.round(scaled) : Number(scaled.toPrecision(2))}${unit}`;
}

/** A batch is full, or holds what a shard receives while it waits. */
function countBatches({ shards }: Traffic, messages: number): number {
  const perSecond = messages / (ASSUMPTIONS.daysPerMonth * SECONDS_PER_DAY) / shards;
  const batch = Math.min(
    ASSUMPTIONS.maxBatchMessages,
    Math.max(1, perSecond * ASSUMPTIONS.batchTimeoutSeconds),
  );
  return messages / batch;
}

function countStoredBytes(traffic: Traffic): number {
  return traffic.redirectsPerDay * traffic.retentionDays * ASSUMPTIONS.bytesPerClick;
}
