/** Loaded on demand, through this file: what a bundle loads on demand of a CommonJS package itself has no named exports. */
// oxlint-disable-next-line no-restricted-imports -- Only clickhouse-client.ts takes this file, by import().
export { createClient } from "@clickhouse/client-web";
