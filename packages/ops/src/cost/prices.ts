/**
 * What Cloudflare and Neon charge, in US dollars, according to their pages on PRICES_READ_ON. When a price changes,
 * change it here and run `pnpm run cost`, which updates docs/capacity-and-cost.md.
 */

export const PRICES_READ_ON = "2026-11-21";

/** A price by quantity: the plan includes `included` a month; the rest costs `dollars` for each `per`. */
export type Price = { readonly included: number; readonly dollars: number; readonly per: number };

const MILLION = 1_000_000;

export const PRICES = {
  /** https://developers.cloudflare.com/workers/platform/pricing/ : Workers Paid, Standard usage. */
  workersPlanDollars: 5,
  workerRequests: { included: 10 * MILLION, dollars: 0.3, per: MILLION },
  workerCpuMs: { included: 30 * MILLION, dollars: 0.02, per: MILLION },
  /** From 2026-12-01: https://developers.cloudflare.com/workers/observability/pricing/ : what is written, and what is kept. */
  logGigabytes: { included: 50, dollars: 0.25, per: 1 },
  logGigabyteMonths: { included: 12, dollars: 0.1, per: 1 },
  /** https://developers.cloudflare.com/kv/platform/pricing/ */
  kvReads: { included: 10 * MILLION, dollars: 0.5, per: MILLION },
  kvWrites: { included: MILLION, dollars: 5, per: MILLION },
  /** https://developers.cloudflare.com/queues/platform/pricing/ : for each 64 KB written, read or deleted. */
  queueOperations: { included: MILLION, dollars: 0.4, per: MILLION },
  /** https://developers.cloudflare.com/durable-objects/platform/pricing/ */
  objectRequests: { included: MILLION, dollars: 0.15, per: MILLION },
  objectGigabyteSeconds: { included: 400_000, dollars: 12.5, per: MILLION },
  /** https://neon.com/docs/introduction/plans : Scale; Launch charges 0.106 a CU-hour. */
  neonCuHours: { included: 0, dollars: 0.222, per: 1 },
  neonStorageGbMonths: { included: 0, dollars: 0.35, per: 1 },
} as const satisfies Readonly<Record<string, Price | number>>;

/** What a quantity costs in a month, in dollars. */
export function dollarsFor(quantity: number, { included, dollars, per }: Price): number {
  return (Math.max(0, quantity - included) / per) * dollars;
}
