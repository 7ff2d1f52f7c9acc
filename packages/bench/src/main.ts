/**
 * `pnpm bench`: measures what DESIGN.md section 5 promises, and with `--check` holds it. `pnpm bench --help` lists the
 * flags.
 */
import { writeFile } from "node:fs/promises";

import { Failure } from "@hopline/testkit/console/failure";
import { consoleProgress, runCommand } from "@hopline/testkit/console/progress";
import { readFlags, readWholeNumber } from "@hopline/testkit/console/read-flags";
import { inWorkspace } from "@hopline/testkit/workspace/workspace";

import { analyticsSection } from "./sections/analytics-section.ts";
import { cacheSection } from "./sections/cache-section.ts";
import { type Circumstances, readCircumstances } from "./circumstances.ts";
import { EVERYDAY_SECTIONS, GATES, SECTION_NAMES, type SectionName } from "./gates.ts";
import { ingestSection } from "./sections/ingest-section.ts";
import { describeJudgements, isPassed, type Judgement, judge } from "./judge.ts";
import { platformSection } from "./redirect/platform-section.ts";
import { redirectSection } from "./redirect/redirect-section.ts";
import { RESULTS, toResultFile } from "./result-file.ts";
import { rulesSection } from "./sections/rules-section.ts";
import type { Section, SectionReport } from "./section.ts";

const SECTIONS: Readonly<Record<SectionName, Section>> = {
  redirect: redirectSection,
  cache: cacheSection,
  rules: rulesSection,
  ingest: ingestSection,
  analytics: analyticsSection,
};

/** Run when asked for by name, and never gated: a guide for work on the hot path. */
const OPTIONAL_SECTIONS: Readonly<Record<string, Section>> = { platform: platformSection };

const NAMES = [...SECTION_NAMES, ...Object.keys(OPTIONAL_SECTIONS)];
const USAGE = "pnpm bench [--only NAME | --all] [--check] [--json FILE | --record] [--rounds N]";
const HELP = `Usage: ${USAGE}

  without --only   measures ${EVERYDAY_SECTIONS.join(", ")}: two minutes where the machine is quiet
  --only NAME      one section: ${NAMES.join(", ")}
  --all            ${SECTION_NAMES.join(", ")}: many minutes, and a quiet machine
  --check          ends with 1 when a gate is missed
  --json FILE      writes every figure, gate and circumstance
  --record         the same, to the day's file in ${RESULTS}; with --only, to the day's file of that section
  --rounds N       exactly N rounds; without it, as many as the gates take to be clear
`;

await runCommand(async () => {
  const { values } = readFlags(
    {
      only: { type: "string" },
      all: { type: "boolean", default: false },
      check: { type: "boolean", default: false },
      json: { type: "string" },
      record: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
      rounds: { type: "string" },
    },
    USAGE,
  );
  const progress = consoleProgress();
  if (values.help) {
    progress.line(HELP);
    return 0;
  }
  const chosen = chooseSections(values);
  const rounds =
    values.rounds === undefined
      ? null
      : readWholeNumber(values.rounds, { name: "--rounds", min: 1, max: 200 });
  const circumstances = readCircumstances(new Date(), process.argv.slice(2));
  const resultFile = values.record ? inWorkspace(toResultFile(circumstances.date, values.only)) : values.json;

  const reports: SectionReport[] = [];
  for (const [, section] of chosen) {
    const report = await progress.step(section.title, () => section.run({ rounds }));
    progress.line(`\n${report.lines.map((line) => `    ${line}`).join("\n")}\n`);
    reports.push(report);
  }
  const judgements = judge(
    GATES.filter(({ section }) => chosen.some(([name]) => name === section)),
    reports.flatMap(({ figures }) => figures),
    reports.flatMap(({ unmeasured }) => unmeasured),
  );
  for (const line of describeJudgements(judgements)) {
    progress.line(`  ${line}`);
  }
  if (resultFile !== undefined) {
    const text = toJson(circumstances, reports, judgements);
    await writeFile(resultFile, text).catch((cause: unknown) => {
      throw new Failure(`${resultFile} could not be written.`, { cause });
    });
  }
  return values.check && !isPassed(judgements) ? 1 : 0;
});

type Choice = { readonly only?: string | undefined; readonly all: boolean };

function chooseSections({ only, all }: Choice): readonly (readonly [string, Section])[] {
  if (only !== undefined && all) {
    throw new Failure(`--only ${only} and --all: choose one of them. Usage: ${USAGE}`);
  }
  if (only === undefined) {
    return (all ? SECTION_NAMES : EVERYDAY_SECTIONS).map((name) => [name, SECTIONS[name]] as const);
  }
  const section = { ...SECTIONS, ...OPTIONAL_SECTIONS }[only];
  if (section === undefined) {
    throw new Failure(`--only ${only}: there is no such section, only ${NAMES.join(", ")}.`);
  }
  return [[only, section]];
}

function toJson(
  circumstances: Circumstances,
  reports: readonly SectionReport[],
  judgements: readonly Judgement[],
): string {
  const document = {
    ...circumstances,
    figures: reports.flatMap(({ figures }) => figures),
    unmeasured: reports.flatMap(({ unmeasured }) => unmeasured),
    gates: judgements.map(({ gate, verdict, measured }) => ({
      figure: gate.figure,
      measured,
      unit: gate.unit,
      ...gate.bar,
      verdict,
      source: gate.source,
    })),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
