/**
 * `pnpm load`: production bundles under load on this machine, and the proof that every click was counted once. Steps in
 * run-load.ts. `pnpm load verdict` gives that proof of a run that k6 made from elsewhere, `pnpm load results` draws the recorded runs.
 * Exit code 0 only when the run held.
 */
import { DEFAULT_ENVIRONMENT, readEnvironment } from "@hopline/ops/deploy/environments";
import { runCommandLine } from "@hopline/testkit/console/command-line";
import { UsageFailure } from "@hopline/testkit/console/failure";
import { runInOwnGroup } from "@hopline/testkit/console/own-process-group";
import { consoleProgress } from "@hopline/testkit/console/progress";
import { readWholeNumber } from "@hopline/testkit/console/read-whole-number";
import { type ArgsDef, defineCommand } from "citty";

import { parseDurationSeconds } from "../script/settings.ts";
import { DEFAULT_LINK_COUNT, MAX_LINK_COUNT } from "../script/targets.ts";
import { judgeDeployment } from "./judge-deployment.ts";
import { writeResultsPage } from "./results-page.ts";
import { type LoadPlan, reportRun, runLoad } from "./run-load.ts";
import { type RunPlan, SCRIPTS, SPREADS, TARGETS } from "./run-plan.ts";
import { describeResult } from "./summary-text.ts";

/** A third of the highest rate that held (results/2026-11-21-highest-rate.json), long enough for 90,000 visits. */
const TAIL = { rate: 300, duration: "5m" };

const ARGS = {
  script: {
    type: "enum",
    options: [...SCRIPTS],
    default: "redirect" as const,
    description: "Which script to run",
  },
  rate: {
    type: "string",
    valueHint: "N",
    description: "Requests a second; with --search the first to try",
  },
  duration: { type: "string", valueHint: "60s", description: "Length of the main phase" },
  links: {
    type: "string",
    valueHint: "N",
    default: String(DEFAULT_LINK_COUNT),
    description: "Size of the data set",
  },
  cold: {
    type: "boolean",
    description: "Visit links that were just imported, with KV as it is; the default of redirect",
  },
  warm: { type: "boolean", description: "Put all links into KV before the first visit" },
  "pause-publishing": {
    type: "boolean",
    description: "Keep what the API publishes from the KV that visitors read",
  },
  spread: {
    type: "enum",
    options: [...SPREADS],
    default: "80-20" as const,
    description: "How redirect picks links",
  },
  tail: {
    type: "boolean",
    description: "Visit while links are edited, in turn with the constant Worker, and hold the tail to its",
  },
  target: {
    type: "enum",
    options: [...TARGETS],
    default: "hopline" as const,
    description: "Hopline, or a Worker that answers a constant 302",
  },
  search: {
    type: "boolean",
    description: "Find the highest rate that holds with warm links, of both targets",
  },
  json: { type: "string", valueHint: "FILE", description: "Write the result as JSON" },
  html: { type: "string", valueHint: "FILE", description: "Write k6's report as one HTML file" },
} satisfies ArgsDef;

const command = defineCommand({
  meta: {
    name: "pnpm load",
    description: "Run the bundles under k6, reconcile every click, and say whether the run held",
  },
  args: ARGS,
  run({ args }) {
    if (args.tail && (args.script !== "redirect" || args.target !== "hopline" || args.search || args.cold)) {
      throw new UsageFailure("--tail runs mixed with warm links, and both targets in one workerd.");
    }
    const canBeCold = !args.tail && args.script === "redirect" && args.target === "hopline" && !args.search;
    const isCold = canBeCold && !args.warm;
    if (args.cold && !isCold) {
      throw new UsageFailure(
        "--cold is for the script redirect, without --warm, --search or --target constant.",
      );
    }
    if (args["pause-publishing"] && !isCold) {
      throw new UsageFailure("--pause-publishing needs cold links.");
    }
    if (args.search && (args.script !== "redirect" || args.target !== "hopline" || args.html !== undefined)) {
      throw new UsageFailure("--search runs redirect against both targets and writes no report.");
    }
    const isTail = args.tail ?? false;
    const duration = args.duration === undefined ? null : readDuration(args.duration);
    const plan: LoadPlan = {
      script: isTail ? "mixed" : args.script,
      target: args.target,
      rate: readRate(args.rate) ?? (isTail ? TAIL.rate : null),
      duration: duration ?? (isTail ? TAIL.duration : null),
      rampSeconds: null,
      linkCount: readWholeNumber(args.links, { name: "--links", min: 1, max: MAX_LINK_COUNT }),
      isCold,
      isPublishingPaused: args["pause-publishing"] ?? false,
      spread: args.spread,
      isTail,
      isSearch: args.search ?? false,
      jsonPath: args.json ?? null,
      htmlPath: args.html ?? null,
    };
    return runInOwnGroup(async (signal) =>
      (await runLoad(plan, { progress: consoleProgress(), signal })) ? 0 : 1,
    );
  },
});

function readDuration(text: string): string {
  try {
    parseDurationSeconds(text);
    return text;
  } catch {
    throw new UsageFailure(`--duration should read like 60s, 5m or 1h30m, not "${text}".`);
  }
}

const verdict = defineCommand({
  meta: {
    name: "pnpm load verdict",
    description: "Settle and reconcile a deployment after a run of k6 from elsewhere, and judge it",
  },
  args: {
    env: {
      type: "string",
      default: DEFAULT_ENVIRONMENT,
      description: "An environment of environments.jsonc",
    },
    since: {
      type: "string",
      required: true,
      valueHint: "INSTANT",
      description: "When the run began; clicks count from that quarter of an hour on",
    },
    until: { type: "string", valueHint: "INSTANT", description: "When it ended; now without it" },
    summary: {
      type: "string",
      valueHint: "FILE",
      description: "What k6 wrote with --summary-export; without it, only the clicks are judged",
    },
    script: ARGS.script,
    rate: ARGS.rate,
    duration: ARGS.duration,
    links: ARGS.links,
    warm: { type: "boolean", description: "The run did not import its links" },
    spread: ARGS.spread,
    json: ARGS.json,
  },
  run({ args }) {
    const plan: RunPlan = {
      script: args.script,
      target: "hopline",
      rate: readRate(args.rate),
      duration: args.duration === undefined ? null : readDuration(args.duration),
      rampSeconds: null,
      linkCount: readWholeNumber(args.links, { name: "--links", min: 1, max: MAX_LINK_COUNT }),
      isCold: args.script === "redirect" && !args.warm,
      isPublishingPaused: false,
      spread: args.spread,
      isTail: false,
    };
    const sinceMs = readInstant("--since", args.since);
    const untilMs = args.until === undefined ? null : readInstant("--until", args.until);
    const progress = consoleProgress();
    return runInOwnGroup(async (signal) => {
      const { name: environment } = await readEnvironment(args.env);
      const run = { environment, period: { sinceMs, untilMs }, summaryPath: args.summary ?? null, plan };
      const result = await judgeDeployment(run, { progress, signal });
      await reportRun({ jsonPath: args.json ?? null, htmlPath: null }, progress, {
        result,
        lines: describeResult(result),
      });
      return result.verdict.isOk ? 0 : 1;
    });
  },
});

function readRate(text: string | undefined): number | null {
  return text === undefined ? null : readWholeNumber(text, { name: "--rate", min: 1, max: 100_000 });
}

/** Epoch milliseconds. */
function readInstant(option: string, text: string): number {
  const atMs = Date.parse(text);
  if (Number.isNaN(atMs)) {
    throw new UsageFailure(`${option} must be an instant such as 2026-11-21T12:00Z, not "${text}".`);
  }
  return atMs;
}

const results = defineCommand({
  meta: { name: "pnpm load results", description: "Draw results/README.md from the recorded runs" },
  run() {
    writeResultsPage().forEach((line) => console.log(line));
    return 0;
  },
});

const [verb, ...rest] = process.argv.slice(2);
await (verb === "verdict"
  ? runCommandLine(
      {
        default: verdict,
        example:
          "pnpm load verdict --env staging --since 2026-11-21T12:00Z --summary summary.json --json result.json",
      },
      rest,
    )
  : verb === "results"
    ? runCommandLine({ default: results, example: "pnpm load results" }, rest)
    : runCommandLine({
        default: command,
        example: "pnpm load --rate 500 --spread uniform --json result.json",
      }));
