/**
 * The tables of docs/capacity-and-cost.md that say what fits which plan of Workers: from the recorded results of the bench, of which
 * the ones measured last count. Pure.
 */
import { CPU_MS, FREE_LIMITS_A_DAY, MEMORY_MB, SCRIPT_BYTES, SUBREQUESTS } from "./free-limits.ts";
import { renderTable, writeBetween } from "./render-table.ts";

/** By name, as the bench calls them. */
export type Figures = ReadonlyMap<string, number>;

const MARKS = [
  "<!-- Written by `pnpm run cost` from load-tests/results. -->",
  "<!-- End of what it writes from there. -->",
] as const;

const WORKERS = ["producer", "consumer", "api", "dashboard"] as const;

/** How often a day Free allows a kind of invocation, and by which limit. */
const DAILY: Readonly<Record<string, string>> = {
  redirect: `${format(FREE_LIMITS_A_DAY.requests)} requests`,
  "write of the API": `${format(FREE_LIMITS_A_DAY.kvWrites)} writes of KV`,
  // A message is written, read and deleted.
  "queue batch of a hundred clicks": `${format(Math.floor(FREE_LIMITS_A_DAY.queueOperations / 3))} messages`,
};

/** The page with up-to-date tables; null where it has no place for them. */
export function writePlans(page: string, figures: Figures): string | null {
  return writeBetween(page, MARKS, renderPlans(figures).join("\n\n"));
}

/** Two tables, of Workers and of kinds of invocations: what fits Workers Free, and what does not fit Workers Paid. */
export function renderPlans(figures: Figures): readonly [string, string] {
  const figure = (name: string): number => figures.get(name) ?? Number.NaN;
  const kinds = [...figures.keys()].flatMap((name) => /^invocations\.(.+)\.p99$/.exec(name)?.[1] ?? []);
  return [
    renderTable(
      ["Worker", "Compressed", "First answer, worst of 20", "Memory", "Workers Free"],
      WORKERS.map((worker) => {
        const of = (what: string) => figure(`start-up.${worker}${what}`);
        const [bytes, startMs, memoryMb] = [of(".compressed"), of(""), of(".memory")];
        const facts = { bytes, startMs, memoryMb };
        return [
          worker,
          `${format(bytes / 1024)} KB`,
          `${startMs.toFixed(0)} ms, ${of(".worst").toFixed(0)} ms`,
          `${memoryMb.toFixed(0)} MB`,
          onBoth(judgeWorker(facts, "free"), judgeWorker(facts, "paid")),
        ];
      }),
    ),
    renderTable(
      ["Invocation", "p50", "p99", "SQL", "Workers Free"],
      kinds.map((kind) => {
        const of = (what: string) => figure(`invocations.${kind}.${what}`);
        const cpu = { p50: of("p50"), p99: of("p99"), requests: of("requests") };
        return [
          kind,
          `${cpu.p50.toFixed(1)} ms`,
          `${cpu.p99.toFixed(1)} ms`,
          String(cpu.requests),
          onBoth(
            `${judgeInvocation(cpu, "free")}${DAILY[kind] === undefined ? "" : `; ${DAILY[kind]} a day`}`,
            judgeInvocation(cpu, "paid"),
          ),
        ];
      }),
    ),
  ];
}

/** Workers Paid is named where something does not fit it. */
function onBoth(free: string, paid: string): string {
  return paid === "fits" ? free : `${free}; on Workers Paid: ${paid}`;
}

type WorkerFacts = { readonly bytes: number; readonly startMs: number; readonly memoryMb: number };

export function judgeWorker({ bytes, startMs, memoryMb }: WorkerFacts, plan: "free" | "paid"): string {
  if (bytes > SCRIPT_BYTES[plan]) {
    return `does not fit: ${format(SCRIPT_BYTES[plan] / 1024)} KB at most`;
  }
  if (startMs > CPU_MS.start || memoryMb > MEMORY_MB) {
    return "does not fit: start-up or memory";
  }
  return startMs > CPU_MS[plan] ? `fits; first request over ${CPU_MS[plan]} ms` : "fits";
}

type InvocationFacts = { readonly p50: number; readonly p99: number; readonly requests: number };

export function judgeInvocation({ p50, p99, requests }: InvocationFacts, plan: "free" | "paid"): string {
  if (requests > SUBREQUESTS[plan]) {
    return `does not fit: ${SUBREQUESTS[plan]} requests at most`;
  }
  if (p99 <= CPU_MS[plan]) {
    return "fits";
  }
  return p50 <= CPU_MS[plan] ? `mostly: slowest over ${CPU_MS[plan]} ms` : `does not fit: ${CPU_MS[plan]} ms`;
}

function format(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}
