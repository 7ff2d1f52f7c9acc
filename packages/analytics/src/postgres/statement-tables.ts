/** The tables of a statement's WITH. What several of its parts read is read once. */
import { type Sql, sql, toStatement } from "@hopline/db/sql";

export type StatementTables = {
  /** Adds a table, and returns its name. Its query may read tables that were added before, but nothing of the statement around it. */
  readonly add: (name: string, query: Sql) => Sql;
  /** The table that was added with an equal query, or a new one. One that only one part reads is inlined into that part's plan. */
  readonly share: (name: string, query: Sql) => Sql;
  /** `WITH` and the added tables; empty if there are none. */
  readonly toWith: () => Sql;
};

/** Of one part of a request. */
export type PartTables = StatementTables & {
  /** Multiranges, added by the parts that read single clicks in them. */
  readonly clickSpans: Sql[];
  /** Multiranges, added by whoever reads cells in them; and visitors of days. */
  readonly cellSpans: Sql[];
  readonly visitorSpans: Sql[];
};

/** @param first tables with names of their own. */
export function createStatementTables(first: readonly Sql[] = []): StatementTables {
  const definitions: Sql[] = [...first];
  const shared = new Map<string, Sql>();
  const define = (name: string, keep: Sql, query: Sql): Sql => {
    const unique = sql.identifier(`${name}_${definitions.length}`);
    definitions.push(sql`${unique} AS ${keep}(${query})`);
    return unique;
  };
  return {
    add: (name, query) => define(name, sql`MATERIALIZED `, query),
    share: (name, query) => {
      const id = JSON.stringify(toStatement(query));
      const unique = shared.get(id) ?? define(name, sql``, query);
      shared.set(id, unique);
      return unique;
    },
    toWith: () => (definitions.length === 0 ? sql`` : sql`WITH ${sql.join(definitions, sql`, `)} `),
  };
}
