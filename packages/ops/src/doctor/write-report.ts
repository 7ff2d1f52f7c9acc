/** The file of `doctor --measure`: fit for a bug report, without hosts, ids or secrets. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

import { inDeployment } from "../deploy/deployment-directory.ts";
import { renderTable } from "../cost/render-table.ts";
import type { Measurement } from "./measure.ts";

export type Report = {
  readonly environment: string;
  readonly host: string;
  readonly commit: string | null;
  /** RFC 3339. */
  readonly date: string;
  readonly versions: string;
  readonly measurements: readonly Measurement[];
};

/** Resolves to its path, relative to the root. */
export async function writeReport(report: Report): Promise<string> {
  const path = `dist/measured-${report.environment}.md`;
  await mkdir(dirname(inDeployment(path)), { recursive: true });
  await writeFile(inDeployment(path), renderReport(report));
  return path;
}

export function renderReport({ commit, date, host, measurements, versions }: Report): string {
  const kind = host.endsWith(".workers.dev") ? "a host of workers.dev" : "a host of a zone";
  const hide = (text: string): string => text.replaceAll(host, "<host>");
  const rows = measurements.map(({ name, measured, expected }) => [name, hide(measured), expected]);
  return [
    "# Measured on a deployment",
    `Commit ${commit ?? "unknown"}, ${date}, ${kind}, ${versions}. See docs/first-real-day.md.`,
    `${renderTable(["What", "Measured", "Expected"], rows)}\n`,
  ].join("\n\n");
}
