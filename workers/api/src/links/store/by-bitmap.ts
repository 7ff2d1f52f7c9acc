/**
 * For one transaction: no plan but that by the filter's own indexes. Statistics are of all workspaces together, and a tag that
 * is frequent elsewhere would make the planner read every link of this one.
 */
import { sql } from "drizzle-orm";

export const BY_BITMAP = sql`SELECT set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'off', true)`;
