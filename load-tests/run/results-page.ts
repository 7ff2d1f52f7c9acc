/** `pnpm load results`: what the recorded runs say, as `results/README.md` and a picture. Made from their files alone, nothing by hand. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { renderTable } from "@hopline/ops/cost/render-table";
import { formatNumber } from "./format-number.ts";

const FOLDER = new URL("../results/", import.meta.url);
export const PAGE = new URL("README.md", FOLDER);
export const PICTURE = new URL("results.svg", FOLDER);

export type RecordedRun = {
  readonly file: string;
  /** Where older files have it. */
  readonly target?: string;
  readonly plan?: { readonly target: string };
  readonly startedAt: string;
  /** Older files don't say; nor which code of others ran. */
  readonly commit?: string;
  /** As `latency`, `null` where only k6 knows, and its summary was left elsewhere. */
  readonly steadyRate: number | null;
  readonly redirects: number;
  readonly verdict: { readonly isOk: boolean };
  readonly latency: { readonly [name: string]: number } | null;
  readonly stored: { readonly events: number } | null;
};

/** The runs in the files, the oldest first; of a search, the highest rate of both targets that held. */
export function readRuns(): readonly RecordedRun[] {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith(".json") && !name.includes("-bench"));
  const runs = files.flatMap((file) => {
    const result: unknown = JSON.parse(readFileSync(new URL(file, FOLDER), "utf8"));
    const found = isSearch(result) ? [result.hopline.highest, result.constant.highest] : [result];
    return found.filter(isRun).map((run) => ({ ...run, file }));
  });
  return runs.toSorted((one, other) => one.startedAt.localeCompare(other.startedAt));
}

const COLUMNS: readonly (readonly [title: string, cell: (run: RecordedRun) => string])[] = [
  ["Date", ({ startedAt }) => startedAt.slice(0, 10)],
  ["Commit", ({ commit }) => commit?.slice(0, 8) ?? "-"],
  ["Run", (run) => `[${targetOf(run)}](${run.file})`],
  ["Requests a second", ({ steadyRate }) => show(steadyRate)],
  ...(["p50", "p90", "p99", "max"] as const).map(
    (name) =>
      [name === "max" ? "worst" : name, ({ latency }: RecordedRun) => show(latency?.[`${name}Ms`])] as const,
  ),
  ["Held", ({ verdict }) => (verdict.isOk ? "yes" : "no")],
  ["Redirects", ({ redirects }) => redirects.toLocaleString("en-US")],
  ["Clicks counted", ({ stored }) => stored?.events.toLocaleString("en-US") ?? "-"],
];

function drawTable(runs: readonly RecordedRun[]): string {
  return renderTable(
    COLUMNS.map(([title]) => title),
    runs.map((run) => COLUMNS.map(([, cell]) => cell(run))),
  );
}

export function drawPage(runs: readonly RecordedRun[]): string {
  return `# Recorded runs

\`pnpm load results\` makes this page and its picture from the files beside it, of runs that held and runs that did not. "-": the file
does not say, or nothing is counted there. Answer times are milliseconds.

![Requests a second of each run, and its answer times on a logarithmic scale](results.svg)

${drawTable(runs)}
`;
}

const [ROW, LEFT, WIDTH] = [44, 190, 900];
const TIMES = [
  ["p50Ms", "median", "#3b82f6"],
  ["p90Ms", "p90", "#14b8a6"],
  ["p99Ms", "p99", "#f59e0b"],
  ["maxMs", "worst", "#dc2626"],
] as const;

/** A row a run: a bar of its rate, and dots of its answer times from 0.1 ms to 1 s. */
export function drawPicture(runs: readonly RecordedRun[]): string {
  const height = 50 + runs.length * ROW;
  const highest = Math.max(1, ...runs.map(({ steadyRate }) => steadyRate ?? 0));
  const xOf = (ms: number) => 520 + Math.min(1, Math.max(0, (Math.log10(ms) + 1) / 4)) * 350;
  const text = (x: number, y: number, content: string) => `<text x="${x}" y="${y}">${content}</text>`;
  const dot = (x: number, y: number, [color, title]: readonly [string, string]) =>
    `<circle cx="${x.toFixed(1)}" cy="${y}" r="5" fill="${color}"><title>${title}</title></circle>`;
  const rows = runs.flatMap((run, at) => {
    const { startedAt, steadyRate, latency, redirects, stored, verdict } = run;
    const y = 58 + at * ROW;
    const counted =
      stored === null
        ? "clicks are not counted"
        : `${formatNumber(stored.events)} of ${formatNumber(redirects)} clicks`;
    const bar = ((steadyRate ?? 0) / highest) * 240;
    return [
      text(10, y, `${startedAt.slice(0, 10)} ${targetOf(run)}`),
      `<g opacity="0.7">${text(10, y + 15, `${counted}${verdict.isOk ? "" : ", not held"}`)}</g>`,
      `<rect x="${LEFT}" y="${y - 12}" width="${bar.toFixed(1)}" height="16" fill="${verdict.isOk ? "#3b82f6" : "#dc2626"}"/>`,
      text(
        Math.round(LEFT + bar + 6),
        y,
        steadyRate === null ? "rate not known here" : `${formatNumber(steadyRate)}/s`,
      ),
      ...TIMES.flatMap(([name, title, color]) => {
        const ms = latency?.[name];
        return ms === undefined ? [] : [dot(xOf(ms), y - 4, [color, `${title} ${ms} ms`])];
      }),
    ];
  });
  const scale = [0.1, 1, 10, 100, 1_000].map(
    (ms) =>
      `<path d="M${xOf(ms)} 36V${height - 6}" stroke="#8884"/><text x="${xOf(ms)}" y="32" text-anchor="middle">${ms} ms</text>`,
  );
  const legend = TIMES.map(
    ([, title, color], at) => dot(525 + at * 80, 11, [color, title]) + text(534 + at * 80, 15, title),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">
<style>text{fill:#111}rect.back{fill:#fff}@media(prefers-color-scheme:dark){text{fill:#eee}rect.back{fill:#111}}</style>
<rect class="back" width="${WIDTH}" height="${height}"/>
${[text(LEFT, 32, "requests a second"), ...legend, ...scale, ...rows].join("\n")}
</svg>
`;
}

/** Returns what to print. */
export function writeResultsPage(): readonly string[] {
  const runs = readRuns();
  writeFileSync(PAGE, drawPage(runs));
  writeFileSync(PICTURE, drawPicture(runs));
  return [drawTable(runs), "", `${runs.length} runs, in ${fileURLToPath(PAGE)} and results.svg`];
}

function targetOf({ target, plan }: RecordedRun): string {
  return target ?? plan?.target ?? "-";
}

function show(value: number | null | undefined): string {
  return value === undefined || value === null ? "-" : formatNumber(value);
}

function isSearch(value: unknown): value is {
  readonly hopline: { readonly highest: unknown };
  readonly constant: { readonly highest: unknown };
} {
  return typeof value === "object" && value !== null && "hopline" in value && "constant" in value;
}

function isRun(value: unknown): value is Omit<RecordedRun, "file"> {
  return typeof value === "object" && value !== null && "steadyRate" in value && "latency" in value;
}
