/** What a search for the highest rate has found: what `--json` writes and the summary tells. Pure. */
import { formatNumber } from "./format-number.ts";
import type { LoadResult } from "./load-result.ts";
import type { Probe } from "./rate-search.ts";
import { describeLatency, describeShare } from "./summary-text.ts";

/** One run of the search in a line. */
export type ProbeResult = Probe & {
  readonly steadyRate: number;
  readonly p95Ms: number;
  /** Why it broke, or how it held. */
  readonly detail: string;
};

export type FoundRate = {
  readonly probes: readonly ProbeResult[];
  /** The whole run at the highest rate that held; `null` where none did. */
  readonly highest: LoadResult | null;
  /** Whole runs at rates that only a short run had held. */
  readonly refuted: readonly ProbeResult[];
};

type SearchParts = {
  /** RFC 3339. */
  readonly startedAt: string;
  readonly command: string;
  readonly machine: LoadResult["machine"];
  readonly linkCount: number;
  readonly hopline: FoundRate;
  readonly constant: FoundRate;
};

export type SearchResult = SearchParts & {
  /** Hopline's highest rate as a share of the constant Worker's; `null` where one of them has none. */
  readonly ratio: number | null;
};

export function toProbeResult(rate: number, { verdict, steadyRate, latency }: LoadResult): ProbeResult {
  const broken = verdict.findings.filter(({ isOk }) => !isOk);
  return {
    rate,
    isHeld: verdict.isOk,
    steadyRate,
    p95Ms: latency.p95Ms,
    detail:
      broken.length === 0
        ? `p95 ${latency.p95Ms} ms`
        : broken.map(({ name, detail }) => `${name}: ${detail}`).join("; "),
  };
}

export function toSearchResult(parts: SearchParts): SearchResult {
  const [ours, theirs] = [parts.hopline, parts.constant].map(({ highest }) => highest?.steadyRate ?? null);
  const ratio =
    typeof ours === "number" && typeof theirs === "number" && theirs > 0
      ? Number((ours / theirs).toFixed(3))
      : null;
  return { ...parts, ratio };
}

export function describeSearch(result: SearchResult): readonly string[] {
  const { hopline, constant, ratio } = result;
  return [
    "",
    describeFound("Hopline", hopline),
    describeFound("Constant 302", constant),
    ratio === null
      ? "✗ No ratio: one of the two held at no rate that was confirmed."
      : `✓ Hopline held ${Math.round(ratio * 100)} % of the constant Worker's rate, every click counted once.`,
    "",
    "  For load-tests/README.md and docs/measurements.md, where the search was a whole one:",
    ...renderSearchRows(result),
    renderSearchSentence(result) ?? "",
  ];
}

/** The rows of the table of load-tests/README.md, one a target; a test holds the page to the recorded result. */
export function renderSearchRows({
  startedAt,
  hopline,
  constant,
  linkCount,
}: SearchResult): readonly string[] {
  return [
    { name: "Hopline, every click counted once", highest: hopline.highest },
    { name: "constant 302", highest: constant.highest },
  ].flatMap(({ name, highest }) => {
    if (highest === null) {
      return [];
    }
    const { p50Ms, p95Ms, p99Ms } = highest.latency;
    const others = highest.cpuOfOthers === null ? "?" : `${Math.round(highest.cpuOfOthers * 100)} %`;
    const cells = [
      startedAt.slice(0, 10),
      name,
      `${formatNumber(Math.round(highest.steadyRate))}/s`,
      formatNumber(highest.redirects),
      `${p50Ms}, ${p95Ms}, ${p99Ms} ms`,
      formatNumber(linkCount),
      others,
    ];
    return [`| ${cells.join(" | ")} |`];
  });
}

/** The words of docs/measurements.md for it; `null` where one of the two held nowhere. */
export function renderSearchSentence({ hopline, constant, ratio }: SearchResult): string | null {
  const [ours, theirs] = [hopline, constant].map(({ highest }) =>
    formatNumber(Math.round(highest?.steadyRate ?? 0)),
  );
  return ratio === null
    ? null
    : `${ours} redirects a second, where the constant Worker held ${theirs}: a ratio of ${ratio.toFixed(2)}`;
}

function describeFound(name: string, { highest, probes }: FoundRate): string {
  if (highest === null) {
    return `  ${name}: no rate held, of ${probes.map(({ rate }) => formatNumber(rate)).join(", ")}`;
  }
  const { steadyRate, latency, redirects, cpuOfOthers } = highest;
  return (
    `  ${name}: ${formatNumber(steadyRate)} redirects/s, ${formatNumber(redirects)} in all, ` +
    `${describeLatency(latency)}; others used ${describeShare(cpuOfOthers)} of the CPU`
  );
}
