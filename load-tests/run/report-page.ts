/**
 * The report as one HTML file that asks nobody for anything: styles and drawings are in it, light and dark follow the
 * reader's system. Pure.
 */
import { DEFAULT_RAMP_SECONDS } from "../script/script-defaults.ts";
import { formatNumber } from "./axis.ts";
import { TIERS } from "../script/tiers.ts";
import { escapeHtml } from "./escape-html.ts";
import type { LoadResult } from "./load-result.ts";
import { describeImport } from "./summary-text.ts";
import { drawPlot, type Plot, type PlotLine } from "./plot.ts";
import { REPORT_STYLE } from "./report-style.ts";
import type { Line, RunSeries } from "./run-series.ts";

export function renderReport(result: LoadResult, series: RunSeries): string {
  const title = `Hopline load test, ${result.script}, ${result.startedAt.slice(0, 10)}`;
  return [
    "<!doctype html>",
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escapeHtml(title)}</title>`,
    `<style>${REPORT_STYLE}</style></head><body><main>`,
    renderHeader(result),
    renderTiles(result),
    renderFindings(result),
    `<section class="plots">${listPlots(result, series).map(renderPlot).join("")}</section>`,
    renderSetup(result),
    "</main></body></html>",
    "",
  ].join("\n");
}

function renderHeader(result: LoadResult): string {
  const { isOk } = result.verdict;
  const subject = result.target === "constant" ? "constant Worker" : "Hopline";
  return (
    `<header><p class="kicker">Load test · ${escapeHtml(result.script)} · ${escapeHtml(subject)} · ` +
    `<time>${escapeHtml(result.startedAt.slice(0, 16).replace("T", " "))} UTC</time></p>` +
    `<h1><span class="badge ${isOk ? "ok" : "bad"}">${isOk ? "✓ held" : "✗ did not hold"}</span> ` +
    `${escapeHtml(formatNumber(result.steadyRate))} redirects a second</h1></header>`
  );
}

function renderTiles({ script, requests, latency, stored, redirects, changes }: LoadResult): string {
  const phase = script === "burst" ? "the burst" : "steady phase";
  const tiles: (readonly [string, string, string])[] = [
    ["Requests", formatNumber(requests), `${formatNumber(redirects)} redirects`],
    ["p50", `${formatNumber(latency.p50Ms)} ms`, phase],
    ["p95", `${formatNumber(latency.p95Ms)} ms`, phase],
    ["p99", `${formatNumber(latency.p99Ms)} ms`, `longest ${formatNumber(latency.maxMs)} ms`],
  ];
  if (changes !== null) {
    const note = `p99 of ${formatNumber(changes.count)}; p50 ${toSeconds(changes.p50Ms)}`;
    tiles.push(["Change in effect", toSeconds(changes.p99Ms), note]);
  }
  if (stored !== null) {
    const lost = stored.missing + stored.rejected + stored.deadLetters;
    tiles.push(["Clicks stored", formatNumber(stored.distinctEvents), `${formatNumber(lost)} lost`]);
    const perSegment = stored.segments === 0 ? 0 : stored.events / stored.segments;
    tiles.push(["Clicks a message", perSegment.toFixed(1), `${formatNumber(stored.segments)} messages`]);
  }
  const items = tiles.map(
    ([name, value, note]) =>
      `<li><span>${escapeHtml(name)}</span><strong>${escapeHtml(value)}</strong><small>${escapeHtml(note)}</small></li>`,
  );
  return `<ul class="tiles">${items.join("")}</ul>`;
}

function renderFindings({ verdict }: LoadResult): string {
  const items = verdict.findings.map(
    ({ name, isOk, detail }) =>
      `<li class="${isOk ? "ok" : "bad"}"><b>${isOk ? "✓" : "✗"} ${escapeHtml(name)}</b> <span>${escapeHtml(detail)}</span></li>`,
  );
  return `<ul class="findings">${items.join("")}</ul>`;
}

function renderPlot(plot: Plot): string {
  const legend = plot.lines
    .map(({ name, colour }) => `<li><i class="series-${colour}"></i>${escapeHtml(name)}</li>`)
    .join("");
  return (
    `<figure${plot.isWide === true ? ' class="wide"' : ""}><figcaption><b>${escapeHtml(plot.title)}</b> <span>${escapeHtml(plot.unit)}</span>` +
    `<ul class="legend">${legend}</ul></figcaption>${drawPlot(plot)}</figure>`
  );
}

function renderSetup({ command, machine, versions, linkCount, cpuOfOthers, imported }: LoadResult): string {
  const rows = [
    ["Command", command],
    ["Links", imported === null ? formatNumber(linkCount) : describeImport(linkCount, imported)],
    [
      "Machine",
      `${machine.cpuCount} cores, ${machine.cpuModel}, ${machine.memoryGiB} GiB, ${machine.system}`,
    ],
    ["Load average before", String(machine.loadAverageBefore)],
    [
      "CPU of others",
      cpuOfOthers === null ? "unknown" : `${toPercent(cpuOfOthers)} of all cores during the run`,
    ],
    ...Object.entries(versions),
  ];
  const cells = rows.map(
    ([name = "", value = ""]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`,
  );
  return (
    `<section class="setup"><h2>Set-up</h2><dl>${cells.join("")}</dl>` +
    "<p>Everything ran on this one machine: k6, workerd with the Workers and the simulated KV and queues, the /sql " +
    "endpoint and Postgres. Percentiles over time come from a histogram and are exact to half an octave.</p></section>"
  );
}

function listPlots({ script, stored }: LoadResult, series: RunSeries): readonly Plot[] {
  const { lengthSeconds } = series;
  const marks = script === "redirect" ? [{ atSeconds: DEFAULT_RAMP_SECONDS, name: "steady" }] : [];
  const line = (name: string, points: Line, colour: number): PlotLine => ({ name, line: points, colour });
  const base = { lengthSeconds, marks };
  const plots: Plot[] = [
    {
      ...base,
      title: "Rate",
      unit: "answers per second",
      isWide: true,
      lines: [{ ...line("answers", series.requestsPerSecond, 1), fill: "light" }],
    },
    {
      ...base,
      title: "Answer times",
      unit: "ms",
      lines: [line("p99", series.p99Ms, 3), line("p95", series.p95Ms, 2), line("p50", series.p50Ms, 1)],
    },
  ];
  if (stored !== null) {
    plots.push(
      {
        ...base,
        title: "Inserts",
        unit: "clicks per second",
        lines: [
          { ...line("inserted", series.insertsPerSecond, 2), fill: "light" },
          line("redirected", series.redirectsPerSecond, 1),
        ],
      },
      {
        ...base,
        title: "Queue lag",
        unit: "ms from click to row",
        lines: [
          line("longest", series.delayMaxMs, 3),
          line("p95", series.delayP95Ms, 2),
          line("p50", series.delayP50Ms, 1),
        ],
      },
      {
        ...base,
        title: "Clicks waiting",
        unit: "answered, not yet a row",
        lines: [{ ...line("waiting", series.clicksWaiting, 4), fill: "light" }],
      },
      toTierPlot(base, series),
    );
  }
  plots.push({
    ...base,
    title: "Machine",
    unit: "share of all cores busy",
    minTop: 1,
    format: toPercent,
    lines: [
      { ...line("everything", series.cpuBusy, 5), fill: "light" },
      { ...line("this run", series.cpuOurs, 1), fill: "light" },
    ],
  });
  return plots;
}

/** Shares on top of each other, of the tiers that ever answered; drawn from the back, so that each covers its own. */
function toTierPlot(base: Pick<Plot, "lengthSeconds" | "marks">, { tierShares }: RunSeries): Plot {
  const seen = TIERS.filter((tier) => tierShares[tier].some(({ value }) => (value ?? 0) > 0));
  const lines = seen.map((tier, index): PlotLine => {
    const below = seen.slice(0, index + 1).map((each) => tierShares[each]);
    return { name: tier, line: addLines(below), colour: index + 1, fill: "whole" };
  });
  return {
    ...base,
    title: "Tier that answered",
    unit: "share of a sample",
    minTop: 1,
    format: toPercent,
    lines: lines.toReversed(),
  };
}

/** Lines over the same moments. */
function addLines(lines: readonly Line[]): Line {
  const [first = []] = lines;
  return first.map(({ atSeconds, value }, index) => ({
    atSeconds,
    value: value === null ? null : lines.reduce((sum, line) => sum + (line[index]?.value ?? 0), 0),
  }));
}

function toSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}

function toPercent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
