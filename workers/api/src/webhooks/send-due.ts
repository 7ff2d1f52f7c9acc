/** Sends what is due to one receiver, and says what became of each delivery. */
import { countLost, type Delivery, type Draft, type Found, toDrafts } from "./delivery.ts";
import type { Attempt } from "./delivery-store.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import { retryDelaySeconds } from "./retry-delay.ts";
import { type Answer, type Fetch, type Receiver, sendMessage } from "./send-message.ts";

export type SendDeps = {
  readonly fetch: Fetch;
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
};

/** Messages in flight to one endpoint, once the first one of its turn was accepted. */
export const MAX_IN_FLIGHT = 4;

export type SentRound = {
  /** Of the deliveries that were tried, or of which nothing is there any more. */
  readonly attempts: readonly Attempt[];
  readonly hasSuccess: boolean;
  readonly hasFailure: boolean;
};

export async function sendDue(
  due: readonly Delivery[],
  { contents, receiver }: { readonly contents: Found; readonly receiver: Receiver },
  deps: SendDeps,
): Promise<SentRound> {
  const outcomes = toOutcomes(due, contents);
  await sendAll(outcomes, receiver, deps);
  const tried = outcomes.filter(({ answer, isLost }) => answer !== null || isLost);
  return {
    attempts: tried.map((outcome) => toAttempt(outcome, deps.random())),
    hasSuccess: tried.some(({ accepted }) => accepted > 0),
    hasFailure: tried.some(({ answer }) => answer?.isAccepted === false),
  };
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

/** The first one alone, the others as many at a time as there are free connections, none after a failure. */
async function sendAll(
  outcomes: readonly Outcome[],
  receiver: Receiver,
  { fetch, nowMs, connections, mayStart, group }: SendDeps,
): Promise<void> {
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
}

function toAttempt({ delivery, drafts, lost, isLost, done, answer }: Outcome, random: number): Attempt {
  const firstLeft = drafts.findIndex((_draft, index) => !done.has(index));
  const isDone = firstLeft === -1 && !isLost;
  // A row that was cut off by the run's end, and not by a failure, goes on at once.
  const isCutOff = !isDone && answer?.isAccepted === true;
  const sent = firstLeft === -1 ? drafts.length : firstLeft;
  const attempts = !isDone && sent > delivery.sent ? 1 : delivery.attempts + 1;
  return {
    id: delivery.id,
    isDone,
    isLost,
    sent,
    lost,
    attempts,
    status: answer?.status ?? null,
    durationMs: answer?.durationMs ?? null,
    error: isLost ? "deleted" : (answer?.error ?? null),
    answer: answer?.text ?? null,
    delaySeconds: isCutOff ? 0 : retryDelaySeconds(attempts, random),
  };
}
