/** The consumer: queue batches in, rows out. What a batch does is in handle-batch.ts. */
import { insertClicks } from "@hopline/db/insert-clicks";
import { handleBatch } from "./handle-batch.ts";
import { isolateClient } from "./isolate.ts";
import { logToConsole } from "./log.ts";

/** A batch may wait: nobody stands behind it. Past this the database is taken for absent. Milliseconds. */
const INSERT_TIMEOUT_MS = 15_000;

export default {
  async queue(batch, env) {
    const runSql = isolateClient({ databaseUrl: env.DATABASE_URL, sqlEndpoint: env.NEON_SQL_ENDPOINT });
    await handleBatch(batch.queue, batch.messages, {
      insertClicks: (rows) => insertClicks(runSql, rows, INSERT_TIMEOUT_MS),
      random: Math.random,
      log: logToConsole,
    });
  },
} satisfies ExportedHandler<ConsumerEnv>;
