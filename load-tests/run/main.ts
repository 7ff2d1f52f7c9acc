/**
 * `pnpm load`: production bundles under load on this machine, and the proof that every click was counted once. Steps in
 * run-load.ts. Exit code 0 only when the run held.
 */
import { runCommandLine } from "@hopline/testkit/console/command-line";
import { UsageFailure } from "@hopline/testkit/console/failure";
import { runInOwnGroup } from "@hopline/testkit/console/own-process-group";
import { consoleProgress } from "@hopline/testkit/console/progress";
import { readWholeNumber } from "@hopline/testkit/console/read-whole-number";
import { defineCommand } from "citty";

import { parseDurationSeconds } from "../script/settings.ts";
import { DEFAULT_LINK_COUNT, MAX_LINK_COUNT } from "../script/targets.ts";
import { type LoadPlan, runLoad } from "./run-load.ts";
import { SCRIPTS, SPREADS, TARGETS } from "./run-plan.ts";

const command = defineCommand({
  meta: {
    name: "pnpm load",
    description: "Run the bundles under k6, reconcile every click, and say whether the run held",
  },
  args: {
    script: { type: "enum", options: [...SCRIPTS], default: "redirect", description: "Which script to run" },
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
      default: "80-20",
      description: "How redirect picks links",
    },
    target: {
      type: "enum",
      options: [...TARGETS],
      default: "hopline",
      description: "Hopline, or a Worker that answers a constant 302",
    },
    search: {
      type: "boolean",
      description: "Find the highest rate that holds with warm links, of both targets",
    },
    json: { type: "string", valueHint: "FILE", description: "Write the result as JSON" },
    html: { type: "string", valueHint: "FILE", description: "Write k6's report as one HTML file" },
  },
  run({ args }) {
    const canBeCold = args.script === "redirect" && args.target === "hopline" && !args.search;
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
    const plan: LoadPlan = {
      script: args.script,
      target: args.target,
      rate:
        args.rate === undefined ? null : readWholeNumber(args.rate, { name: "--rate", min: 1, max: 100_000 }),
      duration: args.duration === undefined ? null : readDuration(args.duration),
      rampSeconds: null,
      linkCount: readWholeNumber(args.links, { name: "--links", min: 1, max: MAX_LINK_COUNT }),
      isCold,
      isPublishingPaused: args["pause-publishing"] ?? false,
      spread: args.spread,
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

await runCommandLine({
  default: command,
  example: "pnpm load --rate 500 --spread uniform --json result.json",
});
