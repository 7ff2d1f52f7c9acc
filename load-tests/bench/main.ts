/**
 * `pnpm bench`: measures what DESIGN.md section 5 promises. `--check` holds the gates, `--json FILE` keeps the figures,
 * `--only NAME` runs one section, `--rounds N` sets the rounds of the interleaved measurements.
 */
import { writeFile } from "node:fs/promises";

import { Failure } from "@hopline/local/console/failure";
import { consoleProgress, runCommand } from "@hopline/local/console/progress";
import { readFlags, readWholeNumber } from "@hopline/local/console/read-flags";

import { analyticsSection } from "./analytics-section.ts";
import { cacheSection } from "./cache-section.ts";
import { type Circumstances, readCircumstances } from "./circumstances.ts";
import { GATES, SECTION_NAMES, type SectionName } from "./gates.ts";
import { ingestSection } from "./ingest-section.ts";
import { describeJudgements, isPassed, type Judgement, judge } from "./judge.ts";
import { platformSection } from "./redirect/platform-section.ts";
import { redirectSection } from "./redirect/redirect-section.ts";
import { rulesSection } from "./rules-section.ts";
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
const USAGE = `pnpm bench [--only ${NAMES.join("|")}] [--check] [--json FILE] [--rounds N]`;

await runCommand(async () => {
  const { values } = readFlags(
    {
      only: { type: "string" },
      check: { type: "boolean", default: false },
      json: { type: "string" },
      rounds: { type: "string" },
    },
    USAGE,
  );
  const chosen = chooseSections(values.only);
  const rounds =
    values.rounds === undefined
      ? null
      : readWholeNumber(values.rounds, { name: "--rounds", min: 1, max: 200 });
  const circumstances = readCircumstances(new Date(), process.argv.slice(2));
  const progress = consoleProgress();

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
  if (values.json !== undefined) {
    const text = toJson(circumstances, reports, judgements);
    await writeFile(values.json, text).catch((cause: unknown) => {
      throw new Failure(`--json ${values.json}: the file could not be written.`, { cause });
    });
  }
  return values.check && !isPassed(judgements) ? 1 : 0;
});

function chooseSections(only: string | undefined): readonly (readonly [string, Section])[] {
  if (only === undefined) {
    return Object.entries(SECTIONS);
  }
  const section = { ...SECTIONS, ...OPTIONAL_SECTIONS }[only];
  if (section === undefined) {
    throw new Failure(`--only ${only}: there is no such section. Usage: ${USAGE}`);
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
