/** The tables of a statement's WITH. Identical queries in several parts of a statement run once. */
import { type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";

export type StatementTables = {
  /**
   * Adds a table; the same query again gives the same table. Its query may read tables that were added before, but nothing of the
   * statement around it.
   *
   * @returns the table's name.
   */
  readonly add: (name: string, query: SQL, options?: TableOptions) => SQL;
  /** Like `add`, for a query that no other part has: rendering it only to compare it costs as much as sending it. */
  readonly addOwn: (name: string, query: SQL) => SQL;
  /** `WITH` and the added tables; empty if there are none. */
  readonly toWith: () => SQL;
};

export type TableOptions = {
  /** A table that only one part reads is inlined into that part's plan. */
  readonly isInlinedIfReadOnce?: boolean;
};

const dialect = new PgDialect();

export function createStatementTables(): StatementTables {
  const definitions: SQL[] = [];
  const names = new Map<string, SQL>();
  const define = (name: string, query: SQL, keep: SQL): SQL => {
    const unique = sql.raw(`${name}_${definitions.length}`);
    definitions.push(sql`${unique} AS ${keep}(${query})`);
    return unique;
  };
  return {
    add: (name, query, { isInlinedIfReadOnce = false } = {}) => {
      const key = toText(query);
      const unique = names.get(key) ?? define(name, query, isInlinedIfReadOnce ? sql`` : MATERIALIZED);
      names.set(key, unique);
      return unique;
    },
    addOwn: (name, query) => define(name, query, MATERIALIZED),
    toWith: () => (definitions.length === 0 ? sql`` : sql`WITH ${sql.join([...definitions], sql`, `)} `),
  };
}

const MATERIALIZED = sql`MATERIALIZED `;

/** The text and the values of the parameters: everything that is sent to the database. */
function toText(query: SQL): string {
  const { sql: text, params } = dialect.sqlToQuery(query);
  return JSON.stringify([text, params]);
}
