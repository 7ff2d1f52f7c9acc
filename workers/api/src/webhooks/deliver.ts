/**
 * A turn of one endpoint: sends what is due, oldest first, until that is done, something fails or its time is up. Whoever has the
 * lease is alone with the endpoint, which bounds what it is sent at the same time, and keeps an order.
 */
import type { Again } from "@hopline/db/work/run-work";
import type { WorkItem } from "@hopline/db/work/work-item";
import { actAs } from "../acting.ts";
import type { Database } from "../database.ts";
import { countLost, type Delivery, type Draft, type Found, limitMessages, toDrafts } from "./delivery.ts";
import type { ReadClickTexts } from "./click-texts.ts";
import { type Attempt, findDue, findLinks, replaceSealedSecret, settleRound } from "./delivery-store.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import { pauseSeconds, retryDelaySeconds } from "./retry-delay.ts";
import type { SecretSeal } from "./sealed-secrets.ts";
import { importSecrets } from "./signature.ts";
import { type Answer, type Fetch, type Receiver, sendMessage } from "./send-message.ts";
import { giveUpNext, switchOff } from "./switch-off.ts";
import type { Log } from "../log.ts";
import { toPublicId } from "../http/entity-id.ts";
import type { OffReason } from "./message-shape.ts";

export type DeliverDeps = {
  readonly database: Database;
  readonly fetch: Fetch;
  readonly readClicks: ReadClickTexts;
  readonly secretSeal: () => Promise<SecretSeal>;
  /** Epoch milliseconds. */
  readonly nowMs: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  /** Of all endpoints of a run. The caller has taken one for this endpoint. */
  readonly connections: ConnectionPool;
  /** Of connection-pool.ts: who this endpoint shares them with. */
  readonly group: string;
  /** Whether the run may send another message; each is a request of the Worker. */
  readonly mayStart: () => boolean;
  readonly log: Log;
};

/** Messages in flight to one endpoint, once the first one of its turn was accepted. */
export const MAX_IN_FLIGHT = 4;
/** After this nothing is started in this turn. */
const MAX_TURN_MS = 15_000;
const GONE = 410;

/**
 * A handler of work; the key is the endpoint's id, and the payload counts its failures in a row. Again in 0 s: its turn was over
 * before all of it was sent.
 */
export async function deliver(
  { key: endpointId, payload }: Pick<WorkItem, "key" | "payload">,
  deps: DeliverDeps,
): Promise<Again | undefined> {
  const endsAtMs = deps.nowMs() + MAX_TURN_MS;
  const mayStart = (): boolean => deps.nowMs() < endsAtMs && deps.mayStart();
  let failures = Number(payload["failures"] ?? 0);
  while (mayStart()) {
    const found = await findDue(deps.database, endpointId);
    if (found === null) {
      return (await giveUpNext(deps.database, endpointId)) ? { againInSeconds: 0 } : undefined;
    }
    if (found.due.length === 0) {
      return undefined;
    }
    const seal = await deps.secretSeal();
    await renewSecrets(endpointId, found.secrets, { seal, ...deps });
    const secrets = await Promise.all(found.secrets.map(seal.open));
    const receiver = { url: found.url, keys: await importSecrets(secrets) };
    const due = limitMessages(found.due);
    const [clicks, links] = await Promise.all([
      deps.readClicks(found.workspaceId, due),
      findLinks(deps.database, due),
    ]);
    const sending = { ...deps, mayStart };
    const outcomes = await sendAll(toOutcomes(due, { clicks, links }), receiver, sending);
    const tried = outcomes.filter(({ answer, isLost }) => answer !== null || isLost);
    const attempts = tried.map((outcome) => toAttempt(outcome, deps.random()));
    const hasSuccess = tried.some(({ accepted }) => accepted > 0);
    const hasFailure = tried.some(({ answer }) => answer?.isAccepted === false);
    const round = { attempts, hasSuccess, hasFailure };
    const hasFailed = await settleRound(deps.database, endpointId, round);
    const isGone = tried.some(({ answer }) => answer?.status === GONE);
    if (isGone || hasFailed) {
      await disable(endpointId, isGone ? "gone" : "failing", deps);
      return undefined;
    }
    if (hasFailure) {
      failures = hasSuccess ? 1 : failures + 1;
      return { againInSeconds: pauseSeconds(failures, deps.random()), change: { failures } };
    }
    failures = 0;
  }
  return { againInSeconds: 0, change: { failures } };
}

async function disable(endpointId: string, reason: OffReason, { database, log }: DeliverDeps): Promise<void> {
  if (await actAs({ actor: "job:webhook" }, () => switchOff(database, endpointId, { reason }))) {
    log({ event: "webhook.disabled", webhookId: toPublicId("whk", endpointId), reason });
  }
}

/** While WEBHOOK_SEAL_KEY is rotated, what the old key sealed is sealed with the new one. */
async function renewSecrets(
  endpointId: string,
  secrets: readonly string[],
  { seal, database }: Pick<DeliverDeps, "database"> & { readonly seal: SecretSeal },
): Promise<void> {
  for (const sealed of secrets) {
    const renewed = await seal.renew(sealed);
    if (renewed !== null) {
      await replaceSealedSecret(database, endpointId, { sealed, renewed });
    }
  }
}

/** A row while its messages are sent. */
type Outcome = {
  readonly delivery: Delivery;
  readonly drafts: readonly (Draft | null)[];
  readonly lost: number;
  /** Nothing of it is there any more. */
  readonly isLost: boolean;
  /** Indexes of drafts that are done: accepted, now or before, or not there any more. */
  readonly done: Set<number>;
  accepted: number;
  /** The last one, or the first that was not accepted. */
  answer: Answer | null;
};

function toOutcomes(due: readonly Delivery[], contents: Found): readonly Outcome[] {
  return due.map((delivery) => {
    const drafts = toDrafts(delivery, contents);
    const isLost = drafts.every((draft) => draft === null);
    const done = new Set(
      drafts.flatMap((draft, index) => (draft === null || index < delivery.sent ? [index] : [])),
    );
    return { delivery, drafts, lost: countLost(delivery, contents), isLost, done, accepted: 0, answer: null };
  });
}

type Sending = Pick<DeliverDeps, "fetch" | "nowMs" | "connections" | "group" | "mayStart">;

/** The first one alone, the others as many at a time as there are free connections, none after a failure. */
async function sendAll(
  outcomes: readonly Outcome[],
  receiver: Receiver,
  { fetch, nowMs, connections, mayStart, group }: Sending,
): Promise<readonly Outcome[]> {
  const waiting = outcomes.flatMap((outcome) =>
    outcome.drafts.flatMap((draft, index) =>
      draft === null || outcome.done.has(index) ? [] : [{ outcome, draft, index }],
    ),
  );
  let hasFailed = false;
  const sendNext = async (): Promise<void> => {
    const next = waiting.shift();
    if (next === undefined) {
      return;
    }
    const { outcome, draft, index } = next;
    const timestamp = Math.floor(nowMs() / 1_000);
    const answer = await sendMessage({ ...draft, timestamp }, receiver, { fetch, nowMs });
    if (answer.isAccepted) {
      outcome.done.add(index);
      outcome.accepted += 1;
    } else {
      hasFailed = true;
    }
    if (outcome.answer?.isAccepted !== false) {
      outcome.answer = answer;
    }
  };
  const isOver = (): boolean => waiting.length === 0 || hasFailed || !mayStart();
  const beside = new Set<Promise<void>>();
  const sendBeside = (): void => {
    while (!isOver() && beside.size < MAX_IN_FLIGHT - 1 && connections.isFreeFor(group)) {
      const sending = connections.use(group, sendNext).then(() => {
        beside.delete(sending);
        sendBeside();
      });
      beside.add(sending);
    }
  };
  await sendNext();
  while (!isOver()) {
    sendBeside();
    await sendNext();
  }
  while (beside.size > 0) {
    await Promise.all(beside);
  }
  return outcomes;
}

function toAttempt({ delivery, drafts, lost, isLost, done, answer }: Outcome, random: number): Attempt {
  const firstLeft = drafts.findIndex((_draft, index) => !done.has(index));
  const isDone = firstLeft === -1 && !isLost;
  // A row that was cut off by the run's end, and not by a failure, goes on at once.
  const isCutOff = !isDone && answer?.isAccepted === true;
  return {
    id: delivery.id,
    isDone,
    isLost,
    sent: firstLeft === -1 ? drafts.length : firstLeft,
    lost,
    status: answer?.status ?? null,
    durationMs: answer?.durationMs ?? null,
    error: isLost ? "deleted" : (answer?.error ?? null),
    answer: answer?.text ?? null,
    delaySeconds: isCutOff ? 0 : retryDelaySeconds(delivery.attempts + 1, random),
  };
}
