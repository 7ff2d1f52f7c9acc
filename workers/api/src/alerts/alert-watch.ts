/**
 * Judges the alert rules and tells operators, without Prometheus and without a table: the state is in the storage of the clock's
 * Durable Object, whose alarm only activity sets. Once a minute while there is some; then only for as long as a rule holds,
 * at growing intervals. An installation at rest has no alarm, and asks the database nothing.
 */
import { type AlertRule } from "@hopline/core/alerts/alert-rules";
import {
  afterNotices,
  type AlertState,
  judgeAlerts,
  listFiring,
  listNotices,
  NEW_ALERTS,
  type Sample,
} from "@hopline/core/alerts/judge-alerts";
import { type Log, nameOfError } from "../log.ts";
import type { TellOperators } from "./tell-operators.ts";

/** Another format of the state gets another name. */
const KEY = "alerts.v1";
const EVERY_MS = 60_000;
/** Nothing happens, and a rule fires: until the operator deals with it, the database may sleep in between. */
const AT_LATEST_EVERY_MS = 60 * 60_000;

export type AlertWatch = {
  /** Something has happened: look within a minute. */
  wake(): Promise<void>;
  /** Never rejects. `isActive`: something has happened within the last minute or so. */
  look(isActive: boolean): Promise<void>;
  firing(): readonly AlertRule[];
};

export type AlertWatchDeps = {
  readonly storage: Pick<DurableObjectStorage, "getAlarm" | "setAlarm"> & {
    readonly kv: Pick<SyncKvStorage, "get" | "put">;
  };
  /** Every number of the metrics. Rejects where they can't be read. */
  readonly read: () => Promise<readonly Sample[]>;
  readonly tell: TellOperators;
  readonly nowMs: () => number;
  readonly log: Log;
};

type Kept = {
  readonly alerts: AlertState;
  readonly everyMs: number;
  /** Who was notified, of notices that did not reach every operator. */
  readonly owed?: { readonly notices: string; readonly reached: readonly string[] } | undefined;
};

export function openAlertWatch({ storage, read, tell, nowMs, log }: AlertWatchDeps): AlertWatch {
  let isAwake = false;
  const load = (): Kept => storage.kv.get<Kept>(KEY) ?? { alerts: NEW_ALERTS, everyMs: EVERY_MS };

  async function tellNews(alerts: AlertState, owed: Kept["owed"]): Promise<Pick<Kept, "alerts" | "owed">> {
    const notices = listNotices(alerts, nowMs());
    if (notices.length === 0) {
      return { alerts };
    }
    const names = JSON.stringify(notices.map(({ rule, isFiring }) => [rule.name, isFiring]));
    // An operator who was notified is not notified again each minute while another can't be reached.
    const { reached, failure } = await tell(notices, owed?.notices === names ? owed.reached : []);
    if (failure === null) {
      return { alerts: afterNotices(alerts, notices, nowMs()) };
    }
    log({ event: "alert.send_failed", reason: nameOfError(failure.error) });
    return { alerts, owed: { notices: names, reached } };
  }

  return {
    async wake() {
      // In memory, because of a busy installation's many calls; after an alarm that is hours away one comes within a minute.
      if (!isAwake) {
        isAwake = true;
        const alarmAtMs = await storage.getAlarm();
        const atMs = nowMs() + EVERY_MS;
        if (alarmAtMs === null || alarmAtMs > atMs) {
          await storage.setAlarm(atMs);
        }
      }
    },
    async look(isActive) {
      isAwake = false;
      const { alerts, everyMs, owed: before } = load();
      const samples = await read().then(
        (numbers) => [UP, ...numbers],
        () => [{ ...UP, value: 0 }],
      );
      const { alerts: judged, owed } = await tellNews(judgeAlerts(alerts, samples, nowMs()), before);
      const isDone = !judged.isTense && listNotices(judged, nowMs()).length === 0;
      const nextMs = isActive ? EVERY_MS : Math.min(2 * everyMs, AT_LATEST_EVERY_MS);
      storage.kv.put(KEY, { alerts: judged, everyMs: nextMs, owed } satisfies Kept);
      // What was announced meanwhile has set an earlier one.
      if ((isActive || !isDone) && !isAwake) {
        await storage.setAlarm(nowMs() + nextMs);
      }
    },
    firing: () => listFiring(load().alerts),
  };
}

/** As Prometheus says of a target, by the name that docs/observability.md gives it. */
const UP: Sample = { name: "up", labels: { job: "hopline" }, value: 1 };
