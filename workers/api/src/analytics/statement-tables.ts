/** The tables of a statement's WITH. What several parts of a statement ask for in the same words is worked out once. */
import { type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";

export type StatementTables = {
  /**
   * Adds a table, worked out when it is first read; the same query again is the same table. Its query may read tables
   * that were added before, and nothing of what it will stand in.
   *
   * @returns the name to read it by.
   */
  readonly add: (name: string, query: SQL, options?: TableOptions) => SQL;
  /** As `add`, for what nothing else asks for: to write a query down only to compare it costs as much as to send it. */
  readonly addOwn: (name: string, query: SQL) => SQL;
  /** `WITH` and all that were added, to stand before what reads them; nothing where none were. */
  readonly toWith: () => SQL;
};

export type TableOptions = {
  /** What only one part reads goes into that part's plan, and is not kept. */
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

/** Each of the parts that say the same once. */
export function uniqueParts(parts: readonly SQL[]): SQL[] {
  return [...new Map(parts.map((part) => [toText(part), part])).values()];
}

/** The words and the values of the parameters: all that the database is told. */
function toText(query: SQL): string {
  const { sql: text, params } = dialect.sqlToQuery(query);
  return JSON.stringify([text, params]);
}
