/** A target with its own workerd, and the checks before, between and after the measured requests. */
import { setTimeout as delay } from "node:timers/promises";

import { Failure } from "@hopline/testkit/console/failure";
import { decodeSegment } from "@hopline/core/click/segment";

import { request } from "undici";

import { readCpuMicroseconds } from "../cpu-meter.ts";
import { LINK_ID, type Target } from "./targets.ts";
import { VISITOR_HEADERS } from "./visitors.ts";
import type { WorkerdProcess } from "./workerd-process.ts";

export type RunningTarget = { readonly target: Target; readonly workerd: WorkerdProcess };

/** `idleForMs`: longer than clicks may linger. */
type IdleOptions = { readonly timeoutMs?: number; readonly idleForMs?: number };

/** Longer than the click buffer's linger (100 ms here), with room for a slow machine. */
const IDLE_FOR_MS = 300;
const LOOK_EVERY_MS = 25;
/** What an idle process may use from one look to the next: 2 % of a core. */
const IDLE_MICROS = 500;
const IDLE_TIMEOUT_MS = 10_000;
const TRIAL_REQUESTS = 60;

/**
 * Sends a few requests, one after the other, and compares status, headers, look-ups and clicks with what the target
 * promises. Rejects with a `Failure` that names the first difference: a wrong answer is not worth timing.
 */
export async function checkTarget(running: RunningTarget): Promise<void> {
  const { target, workerd } = running;
  await touchSlugs(running);
  const before = await workerd.counts();
  for (let index = 0; index < TRIAL_REQUESTS; index += 1) {
    const { slugs, isEachNew } = target.traffic;
    const slug = isEachNew ? `${slugs[0]}trial-${index}` : (slugs[index % slugs.length] ?? "");
    compareAnswer(target, await askOnce(workerd.port, slug, index));
  }
  await untilIdle(running);
  const after = await workerd.counts();
  checkLookUps(target, after.lookUps - before.lookUps, TRIAL_REQUESTS);
  const touched = target.traffic.isEachNew ? 0 : target.traffic.slugs.length;
  checkClicks(target, await workerd.takeMessages(), TRIAL_REQUESTS + touched);
  if (workerd.printed() !== "") {
    // A healthy producer logs nothing: this one has lost a tier or a queue.
    throw new Failure(`${target.name} logs ${workerd.printed().split("\n")[0]}`);
  }
}

/**
 * Asks for each slug once, so that the measured requests find it fresh however long the other targets took. One after the
 * other: look-ups at once are limited. Returns the number of answers.
 */
export async function touchSlugs({ target, workerd }: RunningTarget): Promise<number> {
  if (target.traffic.isEachNew) {
    return 0;
  }
  for (const [index, slug] of target.traffic.slugs.entries()) {
    compareAnswer(target, await askOnce(workerd.port, slug, index));
  }
  return target.traffic.slugs.length;
}

/**
 * Waits until the process has been idle for longer than clicks may linger. Seen from outside: answering "are you done?"
 * would cost the very time that is measured.
 */
export async function untilIdle(
  { target, workerd }: RunningTarget,
  { timeoutMs = IDLE_TIMEOUT_MS, idleForMs = IDLE_FOR_MS }: IdleOptions = {},
): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  let cpuMicros = readCpuMicroseconds(workerd.pid);
  let busyAtMs = performance.now();
  while (performance.now() - busyAtMs < idleForMs) {
    await delay(LOOK_EVERY_MS);
    const nowMicros = readCpuMicroseconds(workerd.pid);
    if (nowMicros - cpuMicros > IDLE_MICROS) {
      busyAtMs = performance.now();
    }
    cpuMicros = nowMicros;
    if (performance.now() > deadlineMs) {
      throw new Failure(
        `${target.name}: workerd is still busy ${timeoutMs / 1_000} s after the last request was answered.`,
      );
    }
  }
}

/** Throws a `Failure` unless `messages` hold one click of the right link for each answer, none of them twice. */
export function checkClicks(target: Target, messages: readonly string[], answers: number): void {
  const { clicksPerAnswer } = target.expected;
  if (clicksPerAnswer === null) {
    return;
  }
  const seen = new Set<string>();
  for (const message of messages) {
    const segment = decodeSegment(message);
    if (!segment.ok) {
      throw new Failure(`${target.name}: a queue message is no segment, at ${segment.error.field}.`);
    }
    for (const [index, click] of segment.value.clicks.entries()) {
      if (click.linkId !== LINK_ID) {
        throw new Failure(`${target.name}: a click is of another link.`);
      }
      seen.add(`${segment.value.isolateId} ${segment.value.firstSequence + index}`);
    }
  }
  const expected = answers * clicksPerAnswer;
  if (seen.size !== expected) {
    throw new Failure(`${target.name}: ${expected} clicks should be in the queue, and ${seen.size} are.`);
  }
}

/** Throws a `Failure` when KV and the database were asked more or less often than this target should. */
export function checkLookUps(target: Target, lookUps: number, answers: number): void {
  const { min, max } = target.expected.lookUpsPerAnswer;
  if (lookUps < min * answers || lookUps > max * answers) {
    throw new Failure(
      `${target.name}: ${lookUps} look-ups in KV and the database for ${answers} answers, not ${min} to ${max} each.`,
    );
  }
}

type Answer = { readonly status: number; readonly headers: Readonly<Record<string, unknown>> };

function compareAnswer({ name, expected }: Target, answer: Answer): void {
  if (answer.status !== expected.status) {
    throw new Failure(`${name}: answered ${answer.status} instead of ${expected.status}.`);
  }
  for (const [header, value] of Object.entries(expected.headers)) {
    if (answer.headers[header] !== value) {
      throw new Failure(`${name}: ${header} is "${String(answer.headers[header])}" instead of "${value}".`);
    }
  }
}

async function askOnce(port: number, slug: string, visitor: number): Promise<Answer> {
  const headers = [...(VISITOR_HEADERS[visitor % VISITOR_HEADERS.length] ?? [])];
  const response = await request(`http://127.0.0.1:${port}/${slug}`, { headers });
  await response.body.dump();
  return { status: response.statusCode, headers: response.headers };
}
