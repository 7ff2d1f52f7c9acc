/**
 * `pnpm bench`: measures start-up, the redirect, the cache, rules, ingest, webhooks, imports, lists, analytics and the dashboard; `--check`
 * holds the figures to gates.ts.
 */
import { writeFile } from "node:fs/promises";

import { runCommandLine } from "@hopline/testkit/console/command-line";
import { Failure, UsageFailure } from "@hopline/testkit/console/failure";
import { consoleProgress } from "@hopline/testkit/console/progress";
import { readWholeNumber } from "@hopline/testkit/console/read-whole-number";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";
import { defineCommand } from "citty";

import { analyticsSection } from "./analytics/analytics-section.ts";
import { clickHouseSection } from "./analytics/clickhouse-section.ts";
import { cacheSection } from "./cache-section.ts";
import { readCircumstances } from "./circumstances.ts";
import { dashboardSection } from "./dashboard/dashboard-section.ts";
import { EVERYDAY_SECTIONS, GATES, SECTION_NAMES, type SectionName } from "./gates.ts";
import { importSection } from "./import-section.ts";
import { ingestSection, ingestWebhooksSection } from "./ingest-section.ts";
import { ingestSustainedSection } from "./ingest-sustained-section.ts";
import { invocationsSection } from "./invocations-section.ts";
import { describeJudgements, isPassed, judge } from "./judge.ts";
import { hasValgrind, instructionsSection } from "./redirect/instructions-section.ts";
import { redirectSection } from "./redirect/redirect-section.ts";
import { indexesSection } from "./lists/indexes-section.ts";
import { ledgerSection } from "./ledger-section.ts";
import { listsSection } from "./lists/lists-section.ts";
import { RESULTS, toResultFile } from "./result-file.ts";
import { rulesSection } from "./rules-section.ts";
import type { Section, SectionReport } from "./section.ts";
import { startUpSection } from "./start-up/start-up-section.ts";
import { waitsSection } from "./waits-section.ts";
import { webhooksSection } from "./webhooks/webhooks-section.ts";

const SECTIONS: Readonly<Record<SectionName, Section>> = {
  "start-up": startUpSection,
  invocations: invocationsSection,
  redirect: redirectSection,
  instructions: instructionsSection,
  cache: cacheSection,
  rules: rulesSection,
  waits: waitsSection,
  ingest: ingestSection,
  "ingest-webhooks": ingestWebhooksSection,
  ledger: ledgerSection,
  webhooks: webhooksSection,
  import: importSection,
  lists: listsSection,
  indexes: indexesSection,
  analytics: analyticsSection,
  dashboard: dashboardSection,
};

const command = defineCommand({
  meta: {
    name: "pnpm bench",
    description:
      "Measure, and with --check hold the figures to their bars. A gate is met when the median of its rounds is within " +
      "the bar. While the middle half of the rounds is on both sides of the bar, further rounds are measured; if they do " +
      "not settle it, a median beyond the bar is undecided, which is no failure.",
  },
  args: {
    only: { type: "enum", options: [...SECTION_NAMES], description: "Measure one section" },
    all: {
      type: "boolean",
      description: `Measure all sections, not only ${EVERYDAY_SECTIONS.join(", ")}: needs a quiet machine and many minutes`,
    },
    engine: {
      type: "enum",
      options: ["postgres", "clickhouse"],
      default: "postgres",
      description: "With --only analytics: which database answers",
    },
    clicks: {
      type: "string",
      valueHint: "N",
      description: "With --engine clickhouse or --sustained: how many there are before",
    },
    sustained: { type: "boolean", description: "With --only ingest: at a fixed rate, beside the jobs" },
    rate: { type: "string", valueHint: "N", description: "With --sustained: clicks a second" },
    minutes: { type: "string", valueHint: "N", description: "With --sustained: for how long" },
    check: { type: "boolean", description: "Exit with 1 when a gate is missed" },
    json: { type: "string", valueHint: "FILE", description: "Write figures, gates and circumstances" },
    record: { type: "boolean", description: `Write them to the day's file in ${RESULTS}` },
    rounds: { type: "string", valueHint: "N", description: "Measure exactly N rounds" },
  },
  async run({ args }) {
    if (args.only !== undefined && args.all) {
      throw new UsageFailure("Choose either --only or --all.");
    }
    const rounds =
      args.rounds === undefined ? null : readWholeNumber(args.rounds, { name: "--rounds", min: 1, max: 200 });
    const isClickHouse = args.engine === "clickhouse";
    const isSustained = args.sustained === true;
    if ((isClickHouse && args.only !== "analytics") || (isSustained && args.only !== "ingest")) {
      throw new UsageFailure("--engine clickhouse needs --only analytics, and --sustained --only ingest.");
    }
    if (args.clicks !== undefined && !isClickHouse && !isSustained) {
      throw new UsageFailure("--clicks needs --engine clickhouse or --sustained.");
    }
    const sustained = {
      rate: readWholeNumber(args.rate ?? "15000", { name: "--rate", min: 100, max: 1_000_000 }),
      minutes: readWholeNumber(args.minutes ?? "10", { name: "--minutes", min: 1, max: 600 }),
    };
    const clicks = readWholeNumber(args.clicks ?? "10000000", { name: "--clicks", min: 1_000, max: 1e9 });
    const sectionOf = (name: SectionName) =>
      isClickHouse
        ? clickHouseSection(clicks)
        : isSustained
          ? ingestSustainedSection({ ...sustained, clicks })
          : SECTIONS[name];
    const names = args.all
      ? SECTION_NAMES.filter((name) => name !== "instructions" || hasValgrind())
      : SECTION_NAMES.filter((name) =>
          args.only === undefined ? EVERYDAY_SECTIONS.includes(name) : name === args.only,
        );
    const isOnlyJudged = args.check === true && !args.all && args.only === undefined;
    const circumstances = readCircumstances("bench");
    const progress = consoleProgress();
    const reports: SectionReport[] = [];
    for (const name of names) {
      const report = await progress.step(sectionOf(name).title, (say) =>
        sectionOf(name).run({ rounds, isOnlyJudged, say }),
      );
      progress.line(`\n${report.lines.map((line) => `    ${line}`).join("\n")}\n`);
      reports.push(report);
    }
    const figures = reports.flatMap((report) => report.figures);
    const judgements = judge(
      [
        ...GATES.filter(({ section }) => names.includes(section) && !isSustained),
        ...reports.flatMap(({ gates = [] }) => gates),
      ],
      figures,
    );
    describeJudgements(judgements).forEach((line) => progress.line(`  ${line}`));
    const path = args.record ? inWorkspace(toResultFile(circumstances.date, args.only)) : args.json;
    if (path !== undefined) {
      const gates = judgements.map(
        ({ gate: { section: _section, title: _title, bar, ...gate }, ...rest }) => ({
          ...gate,
          ...bar,
          measured: rest.measured,
          verdict: rest.verdict,
        }),
      );
      const text = JSON.stringify({ ...circumstances, figures, gates }, null, 2);
      await writeFile(path, `${text}\n`).catch((cause: unknown) => {
        throw new Failure(`${path} could not be written.`, { cause });
      });
    }
    return args.check && !isPassed(judgements) ? 1 : 0;
  },
});

await runCommandLine({ default: command, example: "pnpm bench --only redirect --check" });
