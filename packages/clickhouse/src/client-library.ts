/** Loaded on demand, through this file: what a bundle loads on demand of a CommonJS package itself has no named exports. */
export { createClient } from "@clickhouse/client-web";
