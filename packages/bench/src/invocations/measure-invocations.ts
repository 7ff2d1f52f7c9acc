/**
 * CPU time and requests to the database of invocations, one after the other, so that the process's time is that invocation's: of the
 * whole workerd, which simulates KV, queues and Durable Objects beside them, so each figure is a little too high.
 */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";

import type { Click } from "@hopline/core/click/click";
import { encodeSegment } from "@hopline/core/click/segment";
import type { WorkerRuntime } from "@hopline/testkit/runtime/worker-runtime";
import type { SqlEndpoint } from "@hopline/testkit/sql-endpoint/sql-endpoint";
import { seedDemo } from "@hopline/testkit/stack/seed";

import { aClick } from "../../../core/test/click/a-click.ts";
import { readCpuMicroseconds } from "../cpu-meter.ts";

/** Of a full segment. */
const CLICKS = 100;

export type Measured = {
  readonly kind: string;
  /** CPU, milliseconds. */
  readonly samples: readonly number[];
  /** The most requests to the database, which Workers Free counts. */
  readonly requests: number;
};

export type MeasuredStack = {
  readonly runtime: WorkerRuntime;
  readonly sqlEndpoint: SqlEndpoint;
  readonly databaseUrl: string;
  /** Where the demo key is kept. */
  readonly folder: string;
  /** Ends the names of the Workers. */
  readonly suffix: string;
  /** Who signs in, and where. */
  readonly person: { readonly origin: string; readonly email: string; readonly password: string };
};

export type InvocationOptions = {
  readonly count: number;
  /** The first ones load what later ones have. */
  readonly warmUp: number;
  readonly say: (kind: string) => void;
};

export async function measureInvocations(
  stack: MeasuredStack,
  { count, warmUp, say }: InvocationOptions,
): Promise<readonly Measured[]> {
  const pid = findWorkerd();
  const kinds = Object.entries(await listKinds(stack));
  const measured: Measured[] = [];
  let asked = 0;
  stack.sqlEndpoint.setFault(() => {
    asked += 1;
    return null;
  });
  for (const [kind, invoke] of kinds) {
    say(kind);
    const samples: number[] = [];
    let requests = 0;
    for (let index = 0; index < warmUp + count; index += 1) {
      const [cpuBefore, askedBefore] = [readCpuMicroseconds(pid), asked];
      await invoke(index);
      if (index >= warmUp) {
        samples.push((readCpuMicroseconds(pid) - cpuBefore) / 1_000);
        requests = Math.max(requests, asked - askedBefore);
      }
    }
    measured.push({ kind, samples, requests });
  }
  stack.sqlEndpoint.setFault(null);
  return measured;
}

type Invoke = (index: number) => Promise<unknown>;

async function listKinds(stack: MeasuredStack): Promise<Readonly<Record<string, Invoke>>> {
  const { databaseUrl, folder, person, runtime, suffix } = stack;
  const { host } = new URL(runtime.url);
  const { apiKey } = await seedDemo({ databaseUrl, stateDirectory: folder, host });
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const expectStatus = async (
    what: string,
    answering: Promise<Response>,
    status: number,
  ): Promise<string> => {
    const response = await answering;
    const text = await response.text();
    if (response.status !== status) {
      throw new Error(`invocations: ${what} answered ${response.status}: ${text.slice(0, 200)}`);
    }
    return text;
  };
  const call = (path: string, status: number, init: RequestInit = {}) =>
    expectStatus(path, fetch(`${runtime.url}${path}`, { redirect: "manual", headers, ...init }), status);
  const create = (slug: string, more: object = {}) =>
    call("/api/v1/links", 201, {
      method: "POST",
      body: JSON.stringify({ url: "https://example.com/", slug, ...more }),
    });
  const { id } = JSON.parse(await create("measured")) as { readonly id: string };
  const linkId = id.slice(4).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  await create("locked", { password: "open sesame, please" });
  const [api, consumer] = [`hopline-api${suffix}`, `hopline-consumer${suffix}`];
  const isolateId = randomBytes(8).toString("hex");
  /** Each from a network of its own: a network has few tries, and few requests without a key. */
  const from = (index: number) => ({ "cf-connecting-ip": `203.${index >> 8}.${index & 255}.1` });
  return {
    redirect: () => call("/measured", 302),
    "read of the API": () => call("/api/v1/links", 200),
    "write of the API": (index) => create(`written-${index}`),
    "the OpenAPI document": (index) => call("/api/openapi.json", 200, { headers: from(index) }),
    "a person's password": (index) => {
      const { origin, email, password } = person;
      const answering = runtime.send(`hopline-dashboard${suffix}`, `${origin}/api/auth/sign-in`, {
        method: "POST",
        headers: { ...from(index), origin, "content-type": "application/json" },
        body: JSON.stringify({ email, password }),
      });
      return expectStatus("sign-in", answering, 200);
    },
    "a link's password": (index) =>
      call("/locked", 303, {
        method: "POST",
        headers: { ...from(index), "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ password: "open sesame, please" }),
      }),
    "queue batch of a hundred clicks": (index) =>
      runtime.deliver(consumer, `hopline-clicks-0${suffix}`, [
        encodeSegment({ isolateId, firstSequence: 1 + index * CLICKS, clicks: listClicks(linkId) }),
      ]),
    "queue batch: publishing": () => runtime.deliver(api, `hopline-publish${suffix}`, [{}]),
    "queue batch: webhooks": () => runtime.deliver(api, `hopline-webhooks${suffix}`, [{}]),
    "job of the API, nothing to do": () => runtime.dispatchScheduled(api),
    "job of the consumer, nothing to do": () => runtime.dispatchScheduled(consumer),
    "job of the API, something announced": () => runtime.runJobs(api, api),
    "job of the consumer, something spilled": () => runtime.runJobs(consumer, api),
  };
}

function listClicks(linkId: string): readonly Click[] {
  const click = aClick({ clickedAtMs: Date.now(), linkId });
  return Array.from({ length: CLICKS }, () => click);
}

/** The one that this process has started. */
function findWorkerd(): number {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8")
    .trim()
    .split(" ");
  const pid = children.find((child) => readFileSync(`/proc/${child}/comm`, "utf8").trim() === "workerd");
  if (pid === undefined) {
    throw new Error("invariant: the stack has started a workerd");
  }
  return Number(pid);
}
