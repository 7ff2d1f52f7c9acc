/** The API's part of leased work, but for publishing: a handler for each kind, and the run that does what is due. */
import { enqueueMissingWork, enqueueWork } from "@hopline/db/work/enqueue-work";
import { ENOUGH_FOR_AN_ITEM } from "@hopline/db/work/request-budget";
import { kindOfError, runWork, runWorkOneByOne, type WorkHandler } from "@hopline/db/work/run-work";
import type { WorkItem } from "@hopline/db/work/work-item";
import type { WorkKind } from "@hopline/db/work/work-kinds";
import { runWorkTransaction } from "@hopline/db/work/work-transaction";
import { actAs } from "./acting.ts";
import { AUDIT_RETENTION, auditRetentionHandler } from "./audit/audit-retention.ts";
import { toRunTransaction } from "./database.ts";
import type { CheckDeps } from "./domains/check-domain.ts";
import { domainHandlers } from "./domains/domain-work.ts";
import { REMOVE_DOMAIN, removeDomain } from "./domains/remove-domain.ts";
import { requestsLeft } from "./invocation-budget.ts";
import { EMPTY_TRASH, emptyTrashHandler } from "./links/empty-trash.ts";
import { endUsedUp, type EndUsedUpDeps } from "./links/end-used-up.ts";
import type { Log } from "./log.ts";
import { type EmailDeps, emailHandlers } from "./people/email/email-work.ts";
import { expiredHandler, REMOVE_EXPIRED } from "./people/remove-expired.ts";
import { REPLACE_TAG, replaceTagLater } from "./tags/replace-tag.ts";
import { disabledEmailHandlers } from "./webhooks/disabled-email.ts";
import { REMOVE_WORKSPACE, removeWorkspace } from "./workspaces/remove-workspace.ts";

export type WorkDeps = EndUsedUpDeps &
  CheckDeps &
  EmailDeps & {
    /** Days for which the audit log is kept; `null`: for ever. */
    readonly auditRetentionDays: number | null;
    /** A new UUID. */
    readonly newLeaseId: () => string;
    /** Epoch milliseconds. */
    readonly nowMs: () => number;
    readonly log: Log;
  };

type Handlers = { readonly [kind in WorkKind]?: WorkHandler };

/** One item for all links: a run ends whatever has reached its cap. */
const END_USED_UP = { kind: "end-used-up", key: "all" } as const;

/** Always there. They are done hourly, where runs look that often. */
export const RESTING_WORK = [REMOVE_EXPIRED, AUDIT_RETENTION, EMPTY_TRASH] as const;

/** Enqueues what is missing of it, and what the consumer could not say: that links have reached their caps. */
export async function enqueueMissing(hasUsedUp: boolean, { database }: WorkDeps): Promise<void> {
  const items = hasUsedUp ? [...RESTING_WORK, END_USED_UP] : RESTING_WORK;
  await runWorkTransaction(toRunTransaction(database), [enqueueMissingWork(items)]);
}

/** The scheduled job. Rejects when the database can't be reached. */
export async function runDueWork(maxDurationMs: number, deps: WorkDeps): Promise<void> {
  await runKinds(toHandlers(deps), maxDurationMs, deps);
}

/** The same where an invocation may make few requests: items of these kinds, one after the other, as far as they reach. */
export async function runFewDue(
  kinds: ReadonlySet<string>,
  maxDurationMs: number,
  deps: WorkDeps,
): Promise<void> {
  const due = Object.entries(toHandlers(deps)).filter(([kind]) => kinds.has(kind));
  await runWorkOneByOne(maxDurationMs, toRunDeps(Object.fromEntries(due), deps));
}

/** The kinds that `runDueWork` does. */
export function listWorkKinds(deps: WorkDeps): readonly string[] {
  return Object.keys(toHandlers(deps));
}

function toHandlers(deps: WorkDeps): Handlers {
  return {
    "end-used-up": toEndUsedUp(deps),
    [AUDIT_RETENTION.kind]: auditRetentionHandler(deps),
    [REMOVE_DOMAIN]: inSlices(removeDomain, deps),
    [REMOVE_WORKSPACE]: inSlices(removeWorkspace, deps),
    [REPLACE_TAG]: inSlices(replaceTagLater, deps),
    ...domainHandlers(deps),
    ...emailHandlers(deps),
    ...disabledEmailHandlers(deps),
    [REMOVE_EXPIRED.kind]: expiredHandler(deps.database),
    [EMPTY_TRASH.kind]: emptyTrashHandler(deps.database),
  };
}

/**
 * Now, and not by the job. However many calls come at once, one of them does the work, and does it once more if links have
 * reached their caps meanwhile. Rejects when the database can't be reached.
 */
export async function endUsedUpNow(maxDurationMs: number, deps: WorkDeps): Promise<void> {
  await runWorkTransaction(toRunTransaction(deps.database), [enqueueWork([END_USED_UP])]);
  await runKinds({ "end-used-up": toEndUsedUp(deps) }, maxDurationMs, deps);
}

/** Now, and not by the job: people wait for their emails. Rejects when the database can't be reached. */
export async function sendEmailsNow(maxDurationMs: number, deps: WorkDeps): Promise<void> {
  await runKinds(emailHandlers(deps), maxDurationMs, deps);
}

/** A run does a slice of the item, and says whether another one follows. */
function inSlices(doSlice: typeof removeDomain, deps: WorkDeps): WorkHandler {
  return {
    run: async (item) => doSlice(item, deps),
    timeLimitMs: 20_000,
    atOnce: 4,
    maxDelaySeconds: 600,
  };
}

function toEndUsedUp(deps: WorkDeps): WorkHandler {
  return {
    async run() {
      const links = await endUsedUp(deps);
      if (links > 0) {
        deps.log({ event: "caps.ended", links });
      }
    },
    timeLimitMs: 30_000,
    atOnce: 1,
    maxDelaySeconds: 60,
  };
}

/** What it writes is in the audit log as the job's. */
function toActing([kind, handler]: [string, WorkHandler]): [string, WorkHandler] {
  return [
    kind,
    { ...handler, run: (item, signal) => actAs({ actor: `job:${kind}` }, () => handler.run(item, signal)) },
  ];
}

async function runKinds(handlers: Handlers, maxDurationMs: number, deps: WorkDeps): Promise<void> {
  await runWork(maxDurationMs, toRunDeps(handlers, deps));
}

function toRunDeps(handlers: Handlers, { database, newLeaseId, nowMs, log }: WorkDeps) {
  return {
    handlers: Object.fromEntries(Object.entries(handlers).map(toActing)),
    runTransaction: toRunTransaction(database),
    newLeaseId,
    nowMs,
    mayStart: () => requestsLeft() >= ENOUGH_FOR_AN_ITEM,
    onFailure: ({ kind, attempts }: WorkItem, error: unknown) =>
      log({ event: "work.failed", kind, attempts, reason: kindOfError(error) }),
  };
}
