/**
 * What Workers Free allows an account in a day, as https://developers.cloudflare.com/workers/platform/limits and the pages of prices of
 * KV, Queues and Durable Objects said it in 2026-11.
 */
export const FREE_LIMITS_A_DAY = {
  kvReads: 100_000,
  kvWrites: 1_000,
  kvLists: 1_000,
  objectRequests: 100_000,
  /** Beside them crons count as requests of Workers. */
  requests: 100_000,
  queueOperations: 10_000,
} as const;

/** CPU of an invocation on either plan, and how much a Worker may need to start. Milliseconds. */
export const CPU_MS = { free: 10, paid: 30_000, start: 1_000 } as const;
/** Of a Worker's modules, compressed. */
export const SCRIPT_BYTES = { free: 3 * 1024 ** 2, paid: 10 * 1024 ** 2 } as const;
/** Of an isolate. */
export const MEMORY_MB = 128;
/** Requests of an invocation to other hosts: statements over the Neon driver are such requests. */
export const SUBREQUESTS = { free: 50, paid: 10_000 } as const;
