/**
 * The real PostgreSQL, in virtual time. Statements come one after the other over one connection a role, so a seed replays.
 *
 * now() and its like are functions of a schema that stands before pg_catalog on each search path: no other program, no other server,
 * and worlds of several processes share one. Column defaults and functions with a path of their own are rebound; a life's end
 * checks that no row knows the real time.
 */
import { openDatabaseServer } from "@hopline/testkit/postgres/database-server";
import { toClientConfig } from "@hopline/testkit/postgres/database-url";
import { readRole } from "@hopline/testkit/postgres/worker-roles";
import { executeSql } from "@hopline/testkit/sql-endpoint/sql-execution";
import { toErrorAnswer } from "@hopline/testkit/sql-endpoint/sql-problem";
import { decodeSqlRequest } from "@hopline/testkit/sql-endpoint/sql-request";
import pg from "pg";

export type Row = Readonly<Record<string, unknown>>;

export type SimulatedDatabase = Awaited<ReturnType<typeof openSimulatedDatabase>>;

/** A request of the Neon driver. */
type Asked = { readonly body: string; readonly headers: Headers; readonly nowMs: number };

const PATH = "sim, pg_catalog, public, pg_temp";
const CHANGED = "what visitors may be shown has changed";

const SET_UP = `
  CREATE SCHEMA sim;
  GRANT USAGE ON SCHEMA sim TO PUBLIC;
  CREATE SEQUENCE sim.tick;
  CREATE TABLE sim.clicks (event_id uuid, clicked_at timestamptz, workspace_id uuid, link_id uuid, country text);
  GRANT USAGE ON SEQUENCE sim.tick TO PUBLIC;
  CREATE FUNCTION sim.now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT pg_catalog.current_setting('sim.now')::timestamptz $$;
  CREATE FUNCTION sim.transaction_timestamp() RETURNS timestamptz LANGUAGE sql STABLE AS $$ SELECT sim.now() $$;
  CREATE FUNCTION sim.statement_timestamp() RETURNS timestamptz LANGUAGE sql STABLE AS $$ SELECT sim.now() $$;
  CREATE FUNCTION sim.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
    AS $$ SELECT sim.now() + CASE pg_catalog.current_setting('transaction_read_only') WHEN 'on' THEN 0
      ELSE pg_catalog.nextval('sim.tick') % 900 END * interval '1 microsecond' $$;
  CREATE FUNCTION sim.gen_random_uuid() RETURNS uuid LANGUAGE sql VOLATILE
    AS $$ SELECT pg_catalog.md5(pg_catalog.random()::text || pg_catalog.nextval('sim.tick'))::uuid $$;
  CREATE FUNCTION sim.note_change() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN RAISE NOTICE '${CHANGED}'; RETURN NULL; END $$;
  DO $$
  DECLARE
    found record;
  BEGIN
    FOR found IN
      SELECT attrelid::regclass AS of_table, attname AS name, pg_get_expr(adbin, adrelid) AS value
      FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
        JOIN pg_class ON pg_class.oid = adrelid
      WHERE relnamespace = 'public'::regnamespace AND attgenerated = ''
    LOOP
      PERFORM set_config('search_path', '${PATH}', true);
      EXECUTE format('ALTER TABLE %s ALTER %I SET DEFAULT %s', found.of_table, found.name,
        replace(found.value, 'pg_catalog.', ''));
    END LOOP;
    -- Where rows lie decides the order in which some statements meet them.
    FOR found IN
      SELECT oid::regclass AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
    LOOP
      EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = false)', found.name);
    END LOOP;
    FOR found IN SELECT unnest('{links,addresses,domains,workspaces,link_caps}'::regclass[]) AS name
    LOOP
      EXECUTE format('CREATE TRIGGER note_change AFTER INSERT OR UPDATE OR DELETE ON %s
        FOR EACH ROW EXECUTE FUNCTION sim.note_change()', found.name);
    END LOOP;
    FOR found IN
      SELECT pg_proc.oid::regprocedure AS name FROM pg_proc
      WHERE pronamespace = 'public'::regnamespace AND array_to_string(proconfig, ' ') LIKE '%search_path%'
    LOOP
      EXECUTE format('ALTER FUNCTION %s SET search_path = ${PATH}', found.name);
    END LOOP;
  END
  $$;`;

/** On the server of DATABASE_URL, or on one of its own. */
export async function openSimulatedDatabase() {
  const server = await openDatabaseServer({ isInMemory: true, settings: { synchronous_commit: "off" } });
  const database = await server.createMigratedDatabase();
  const owner = await connect(database.url);
  const pools = new Map<string, pg.Pool>();
  await owner.query(SET_UP);
  const { tables, kept, instants } = await readTables(owner);
  await owner.query(`SET search_path = ${PATH}`);
  const closePools = async (): Promise<void> => {
    await Promise.all([...pools.values()].map((pool) => pool.end()));
    pools.clear();
  };
  /** The time that a connection was told last. */
  const told = new Map<string, number>();
  let hasChanged = true;
  const noteChange = ({ message }: { readonly message?: string | undefined }): void => {
    hasChanged ||= message === CHANGED;
  };
  return {
    /** As the database has it at that time. */
    async answer({ body, headers, nowMs }: Asked): Promise<Response> {
      const role = readRole(headers.get("neon-connection-string") ?? "") ?? "owner";
      const pool = pools.get(role) ?? createPool(database.url, role, noteChange);
      pools.set(role, pool);
      const time = `sim.now = '${new Date(nowMs).toISOString()}'`;
      try {
        const request = decodeSqlRequest(body, Object.fromEntries(headers));
        // Without a snapshot: a transaction may still choose its isolation.
        const begin = request.begin === null ? null : `${request.begin}; SET LOCAL ${time}`;
        const connect = async (): Promise<pg.PoolClient> => {
          const client = await pool.connect();
          if (begin === null && told.get(role) !== nowMs) {
            await client.query(`SET ${time}`);
            told.set(role, nowMs);
          }
          return client;
        };
        const deps = { pool: { connect }, cancelBackend: async () => undefined, isPrepared: true };
        const json = await executeSql(deps, { ...request, begin }, new AbortController().signal);
        return new Response(json);
      } catch (error) {
        const { status, body: problem } = toErrorAnswer(error);
        return new Response(problem, { status });
      }
    },
    /** As the owner. */
    select: async (text: string, values: readonly unknown[] = []): Promise<readonly Row[]> =>
      (await owner.query<Row>(text, [...values])).rows,
    /** Whether what visitors may be shown has changed since this was asked last. */
    takeChanged(): boolean {
      const taken = hasChanged;
      hasChanged = false;
      return taken;
    },
    /** Columns in which a row has an instant of the real time: there must be none. */
    async findRealTimes(): Promise<readonly string[]> {
      const { rows } = await owner.query<{ place: string }>(
        instants
          .map(([table, column]) => {
            const isReal = `${column} BETWEEN pg_catalog.now() - interval '1 day' AND pg_catalog.now() + interval '1 day'`;
            return `SELECT '${table}.${column}' AS place WHERE EXISTS (SELECT FROM ${table} WHERE ${isReal})`;
          })
          .join(" UNION ALL "),
      );
      return rows.map(({ place }) => place);
    },
    /** An empty database, in which nothing is left of another life. */
    async reset(nowMs: number): Promise<void> {
      // New connections: no plan of another life is left.
      await closePools();
      told.clear();
      hasChanged = true;
      const filled = tables.map((table) => `SELECT '${table}' AS name WHERE EXISTS (SELECT FROM ${table})`);
      const { rows } = await owner.query<{ name: string }>(filled.join(" UNION ALL "));
      const names = rows.map(({ name }) => name);
      const again = kept.map((table) => `INSERT INTO ${table} SELECT * FROM sim.kept_${table};`);
      await owner.query(`SELECT set_config('sim.now', '${new Date(nowMs).toISOString()}', false);
        ALTER SEQUENCE sim.tick RESTART;
        ${names.length > 0 ? `TRUNCATE ${names.join(", ")} RESTART IDENTITY CASCADE;` : ""} ${again.join("")}`);
    },
    /** Plants a fault in a function of the schema; resolves to what takes it back. */
    async patchFunction(name: string, find: string, replace: string) {
      const { rows } = await owner.query<{ definition: string }>(
        "SELECT pg_get_functiondef(oid) AS definition FROM pg_proc WHERE proname = $1 AND pronamespace = 'public'::regnamespace",
        [name],
      );
      const { definition = "" } = rows[0] ?? {};
      if (!definition.includes(find)) {
        throw new Error(`the function ${name} has no more: ${find}`);
      }
      await owner.query(definition.replace(find, () => replace));
      return async (): Promise<void> => void (await owner.query(definition));
    },
    async close(): Promise<void> {
      await closePools();
      await owner.end();
      await database.drop();
      await server.stop();
    },
  };
}

async function readTables(owner: pg.Client) {
  const { rows } = await owner.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'schema_migrations' ORDER BY 1`,
  );
  const tables = rows.map(({ name }) => name);
  const kept: string[] = [];
  for (const table of tables) {
    const { rowCount } = await owner.query(`SELECT FROM ${table} LIMIT 1`);
    if (rowCount === 1) {
      kept.push(table);
      await owner.query(`CREATE TABLE sim.kept_${table} AS SELECT * FROM ${table}`);
    }
  }
  const columns = await owner.query<{ name: string; of_column: string }>(
    `SELECT table_name AS name, column_name AS of_column FROM information_schema.columns
     WHERE table_schema = 'public' AND data_type = 'timestamp with time zone' AND table_name = ANY ($1)`,
    // What migrations wrote knows when they ran.
    [tables.filter((table) => !kept.includes(table))],
  );
  const instants = columns.rows.map(({ name, of_column: column }) => [name, column] as const);
  return { tables, kept, instants };
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(toClientConfig(url));
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

function createPool(
  url: string,
  role: string,
  onNotice: (notice: { message?: string | undefined }) => void,
): pg.Pool {
  const as = role === "owner" ? "" : `-c role=${role} `;
  const options = `${as}-c jit=off -c plan_cache_mode=force_generic_plan -c search_path=${PATH.replaceAll(" ", "")}`;
  const pool = new pg.Pool({
    ...toClientConfig(url),
    options,
    max: 1,
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
    pipeline: true,
  });
  // The end of the server may be heard before that of the pool.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => {
    const query: unknown = client.query.bind(client);
    if (typeof query === "function") {
      // What cannot fail is not awaited: it goes together with the next statement.
      const send = (first: unknown, ...values: unknown[]): unknown => {
        const sent: unknown = Reflect.apply(query, client, [first, ...values]);
        return /^(?:BEGIN|SET)\b/.test(String(first)) ? Promise.resolve() : sent;
      };
      Object.assign(client, { query: send });
    }
    client.on("notice", onNotice);
    client.query("SELECT setseed(0.5)").catch(() => undefined);
  });
  return pool;
}
