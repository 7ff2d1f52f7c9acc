/**
 * The load generator, a process of its own: its CPU time is not the target's. Closed loop: each connection asks again as
 * soon as it is answered. Every answer's status is compared; what is in the answers was checked before.
 */
import { type HttpClient, openClient } from "./http-client.ts";
import type { LoadJob, LoadResult } from "./load-job.ts";
import { visitorHeaderBlocks } from "./visitors.ts";

/** After a job's time nothing new is asked, and what is under way has this long. */
const LAST_ANSWER_MS = 5_000;

const headerBlocks = visitorHeaderBlocks();

process.on("message", (message) => {
  void run(message as LoadJob).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
  );
});

async function run(job: LoadJob): Promise<LoadResult> {
  const course = createCourse(job);
  const lanes = Array.from({ length: job.connections }, () => createLane(course));
  const clients = await Promise.all(
    lanes.map((lane) => openClient(job.port, { onAnswer: lane.onAnswer, onError: course.fail })),
  );
  const startMs = performance.now();
  course.deadlineMs = startMs + job.maxMs;
  const hung = new Error(`a request was not answered within ${LAST_ANSWER_MS / 1_000} s of the end`);
  const guard = setTimeout(() => course.fail(hung), job.maxMs + LAST_ANSWER_MS);
  for (const [index, client] of clients.entries()) {
    lanes[index]?.start(client);
  }
  try {
    await course.finished;
  } finally {
    clearTimeout(guard);
    for (const client of clients) {
      client.close();
    }
  }
  const { answered, unexpected, latenciesMs } = course;
  return {
    answered,
    unexpected,
    elapsedMs: performance.now() - startMs,
    latenciesMs: latenciesMs.slice(0, answered),
  };
}

/** What the connections of one job share. */
type Course = {
  /** Made before the clock starts; a slice is a few thousand requests of 2 to 3 KB. */
  readonly requests: readonly Buffer[];
  readonly latenciesMs: Float64Array;
  readonly expectedStatus: number;
  readonly finished: Promise<void>;
  readonly fail: (error: Error) => void;
  readonly finishLane: () => void;
  deadlineMs: number;
  sent: number;
  answered: number;
  unexpected: number;
};

function createCourse(job: LoadJob): Course {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let busyLanes = job.connections;
  return {
    requests: Array.from({ length: job.requests }, (_, index) => makeRequest(job, index)),
    latenciesMs: new Float64Array(job.requests),
    expectedStatus: job.expectedStatus,
    finished: promise,
    fail: reject,
    finishLane: () => {
      busyLanes -= 1;
      if (busyLanes === 0) {
        resolve();
      }
    },
    deadlineMs: Infinity,
    sent: 0,
    answered: 0,
    unexpected: 0,
  };
}

/** One connection's loop, without a promise for each request: the generator must not be what is waited for. */
function createLane(course: Course) {
  let client: HttpClient | undefined;
  let sentMs = 0;
  const sendNext = (nowMs: number): void => {
    const request = course.requests[course.sent];
    if (request === undefined || nowMs > course.deadlineMs) {
      course.finishLane();
      return;
    }
    course.sent += 1;
    sentMs = nowMs;
    client?.send(request);
  };
  return {
    start: (opened: HttpClient): void => {
      client = opened;
      sendNext(performance.now());
    },
    onAnswer: (status: number): void => {
      const nowMs = performance.now();
      course.latenciesMs[course.answered] = nowMs - sentMs;
      course.answered += 1;
      course.unexpected += status === course.expectedStatus ? 0 : 1;
      sendNext(nowMs);
    },
  };
}

function makeRequest(job: LoadJob, index: number): Buffer {
  const slug = job.slugs[index % job.slugs.length] ?? "";
  const path = job.isEachNew ? `${slug}${(job.firstNumber + index).toString(36)}` : slug;
  return Buffer.from(`GET /${path} HTTP/1.1\r\n${headerBlocks[index % headerBlocks.length] ?? ""}`, "latin1");
}
