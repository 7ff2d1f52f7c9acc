/** The watch over the alert rules, from the Worker's bindings: for the Durable Object that keeps its state. */
import { type Database, openDatabase } from "../database.ts";
import { logToConsole } from "../log.ts";
import { readSamples } from "../metrics/read-metrics.ts";
import { createSendEmail, type EmailVariables } from "../people/email/send-email.ts";
import { type AlertWatch, openAlertWatch } from "./alert-watch.ts";
import { type AlertVariables, createTellOperators } from "./tell-operators.ts";

type Env = Pick<ApiEnv, "DATABASE_URL" | "NEON_SQL_ENDPOINT" | "APP_ORIGIN"> &
  AlertVariables &
  EmailVariables;

/** `null`: the operator wants no alerts. */
export function openAlerts(env: Env, storage: DurableObjectStorage): AlertWatch | null {
  const tell = createTellOperators(env, {
    openEmail: () => createSendEmail(env, fetchUrl),
    fetch: fetchUrl,
    place: env.APP_ORIGIN.replace(/^https?:\/\//, ""),
  });
  if (tell === null) {
    return null;
  }
  const settings = { databaseUrl: env.DATABASE_URL, sqlEndpoint: env.NEON_SQL_ENDPOINT };
  let database: Database | undefined;
  return openAlertWatch({
    storage,
    async read() {
      database ??= openDatabase(settings);
      return readSamples(database);
    },
    tell,
    nowMs: Date.now,
    log: logToConsole,
  });
}

function fetchUrl(url: string, init: RequestInit): Promise<Response> {
  return fetch(url, init);
}
