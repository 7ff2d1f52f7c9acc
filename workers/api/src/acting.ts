/**
 * Who acts in a request or a job, for the audit log: the database's triggers write it, and each
 * transaction sets who asked. In an AsyncLocalStorage, so that no store has to pass it on.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { sql, toStatement } from "@hopline/db/sql";
import type { NeonQueryFunction, NeonQueryPromise } from "@neondatabase/serverless";

export type Acting = {
  /** `person:<id>`, `key:<id>`, `jwt:<subject>` or `job:<kind>`; absent: not known yet, as during a sign-in. */
  readonly actor?: string;
  /** Absent for a job. */
  readonly requestId?: string;
  /** Links that are written now leave one row in the log together. */
  readonly group?: LinkGroup;
};

export type LinkGroup = {
  /** UUID of the row, the same for all statements of the group. */
  readonly id: string;
  readonly action: "link.imported" | "tag.replaced";
  readonly label?: string;
  /** Beside their number. */
  readonly after?: { readonly [name: string]: unknown };
};

const storage = new AsyncLocalStorage<Acting>();

/** Everything that `run` writes is written by this one. */
export function actAs<Result>(acting: Acting, run: () => Result): Result {
  return storage.run(acting, run);
}

/** The same, with more known than so far. */
export function actMoreExactly<Result>(more: Acting, run: () => Result): Result {
  return storage.run({ ...storage.getStore(), ...more }, run);
}

/** A statement that writes begins with another word, a WITH for example. */
const IS_READ = /^\s*select\b/i;

type Client = NeonQueryFunction<false, false>;
type Statement = NeonQueryPromise<false, false>;

/** The client, changed so that its transactions know who acts. A read alone, or without an actor, is sent as before. */
export function tellWhoActs(client: Client): Client {
  const query: Client["query"] = client.query.bind(client);
  const { transaction } = client;
  const tell = (acting: Acting): Statement => {
    const { text, parameters } = toStatement(
      sql`SELECT set_config('hopline.context', ${JSON.stringify(acting)}, true)`,
    );
    return query(text, [...parameters]);
  };
  const transactionAs = async (acting: Acting, statements: Statement[], options?: object) => {
    const [, ...results] = await transaction([tell(acting), ...statements], options);
    return results;
  };
  return Object.assign(client, {
    transaction(statements: Statement[], options?: object) {
      const acting = storage.getStore();
      return acting === undefined
        ? transaction(statements, options)
        : transactionAs(acting, statements, options);
    },
    query(text: string, parameters?: unknown[], options?: object) {
      const statement = query(text, parameters, options);
      const { execute } = statement;
      // The driver sends a statement when it is awaited; drizzle also puts one into a transaction instead.
      statement.execute = async (...alone) => {
        const acting = storage.getStore();
        if (acting === undefined || IS_READ.test(text)) {
          return execute(...alone);
        }
        const [result = []] = await transactionAs(acting, [statement]);
        return result;
      };
      return statement;
    },
  } as Pick<Client, "query" | "transaction">);
}
