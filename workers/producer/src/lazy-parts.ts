/**
 * What most redirects do without, part by part. An isolate that serves plain links loads none of it, and its start-up has a
 * budget (packages/testkit/src/workspace/bundle-budget.ts): a static import of one of these files from outside of them
 * brings it back.
 */
import { loadOnce } from "./load-once.ts";

/** Pages of ours, for people and as JSON. */
export const withPages = loadOnce(() => import("./respond-page.ts"));

/** What a domain says where no link does. */
export const withDomains = loadOnce(() => import("./answer-without-link.ts"));

/** Links that have ended, that block a visitor, that count their uses. */
export const withLimits = loadOnce(() => import("./answer-limited.ts"));

/** Links that look at the visitor. */
export const withVisitors = loadOnce(() => import("./answer-smart.ts"));

/** Queries that are joined to a destination, and what a click says of them. */
export const withQueries = loadOnce(() => import("./build-departure.ts"));

/** What becomes of a segment that no queue will take. */
export const withLastResorts = loadOnce(() => import("./keep-sealed.ts"));

/** The key for that. */
export const withSealing = loadOnce(() => import("./adapters/seal-text.ts"));

/** Counts for the metrics that no click takes along. */
export const withReports = loadOnce(() => import("./send-report-alone.ts"));

/** The last tier, and caps that are counted there. */
export const withPostgres = loadOnce(() => import("./adapters/postgres.ts"));
