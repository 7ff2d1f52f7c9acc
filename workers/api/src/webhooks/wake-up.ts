/** Has a run of deliveries started: sets the alarm, and sends the message that goes with it. */
import { setAlarm, setAlarmForChanges, WAKE_AFTER_SECONDS } from "@hopline/db/webhooks/alarm";
import type { Sql } from "@hopline/db/sql";
import { createMiddleware } from "hono/factory";
import type { Database } from "../database.ts";
import { toSql } from "../to-sql.ts";
import type { ApiContext } from "../http/authenticate.ts";
import { type Log, nameOfError } from "../log.ts";
import type { WebhookDeps } from "./webhook-deps.ts";

export type WakeUpDeps = {
  readonly database: Database;
  /** Sends a message that starts a run. Rejects when the queue takes none. */
  readonly sendWakeUp: (delaySeconds: number) => Promise<void>;
  readonly log: Log;
};

/** Asks for a run, unless one comes as soon. Rejects when the database can't be reached. */
export async function requestRun(inSeconds: number, deps: WakeUpDeps): Promise<void> {
  await setAndSend(setAlarm(inSeconds), inSeconds, deps);
}

/** Asks for a run at once, whatever the alarm says. Never rejects. */
export async function requestRunNow({
  sendWakeUp,
  log,
}: Pick<WakeUpDeps, "sendWakeUp" | "log">): Promise<void> {
  await sendWakeUp(0).catch((error: unknown) =>
    log({ event: "webhooks.wake_up_failed", reason: nameOfError(error) }),
  );
}

/** Asks for a run in a second, for `WebhookDeps.wakeUp`. Never rejects: the clock finds what waits. */
export async function wakeUp(workspaceId: string | null, deps: WakeUpDeps): Promise<void> {
  const statement = workspaceId === null ? setAlarm(WAKE_AFTER_SECONDS) : setAlarmForChanges(workspaceId);
  await setAndSend(statement, WAKE_AFTER_SECONDS, deps).catch((error: unknown) =>
    deps.log({ event: "webhooks.wake_up_failed", reason: nameOfError(error) }),
  );
}

async function setAndSend(
  statement: Sql,
  inSeconds: number,
  { database, sendWakeUp, log }: WakeUpDeps,
): Promise<void> {
  const { rows } = await database.execute(toSql(statement));
  if (rows.length > 0) {
    await sendWakeUp(inSeconds).catch((error: unknown) =>
      log({ event: "webhooks.wake_up_failed", reason: nameOfError(error) }),
    );
  }
}

/** What changes links or domains says so to those who listen, behind its answer. */
export function wakeUpAfterChanges(deps: { readonly webhooks: WebhookDeps }) {
  return createMiddleware<ApiContext>(async (context, next) => {
    await next();
    const isChange = !["GET", "HEAD", "OPTIONS"].includes(context.req.method);
    if (isChange && context.res.ok && /^\/api\/v1\/(?:links|domains)(?:\/|$)/.test(context.req.path)) {
      deps.webhooks.wakeUp(context.get("principal").workspaceId);
    }
  });
}
