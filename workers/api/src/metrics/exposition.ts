/**
 * Writes the Prometheus text format, version 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/). Pure.
 */

export const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export type Labels = { readonly [name: string]: string };

export type Sample = { readonly labels?: Labels; readonly value: number };

/** A histogram for one set of labels. */
export type Histogram = {
  readonly labels?: Labels;
  /** Observations in each bucket, not cumulative; one bucket more than there are bounds. */
  readonly buckets: readonly number[];
  /** Sum of all observations, milliseconds. */
  readonly totalMs: number;
};

export type Family = { readonly name: string; readonly help: string } & (
  | { readonly type: "counter" | "gauge"; readonly samples: readonly Sample[] }
  | {
      readonly type: "histogram";
      /** Upper bounds in milliseconds, inclusive, ascending. Written in seconds. */
      readonly boundsMs: readonly number[];
      readonly histograms: readonly Histogram[];
    }
);

export function writeFamilies(families: readonly Family[]): string {
  return families.map(writeFamily).join("");
}

function writeFamily(family: Family): string {
  const { name, help, type } = family;
  const lines = samplesOf(family).map(writeSample);
  return [`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`, ...lines, ""].join("\n");
}

/** As one line of the format has it. */
export type WrittenSample = { readonly name: string; readonly labels: Labels; readonly value: string };

export function samplesOf(family: Family): readonly WrittenSample[] {
  const { name } = family;
  return family.type === "histogram"
    ? family.histograms.flatMap((histogram) => samplesOfHistogram(name, family.boundsMs, histogram))
    : family.samples.map(({ labels = {}, value }) => ({ name, labels, value: String(value) }));
}

function samplesOfHistogram(
  name: string,
  boundsMs: readonly number[],
  { labels = {}, buckets, totalMs }: Histogram,
): readonly WrittenSample[] {
  let below = 0;
  const samples = buckets.map((observations, index) => {
    below += observations;
    const boundMs = boundsMs[index];
    const le = boundMs === undefined ? "+Inf" : String(boundMs / 1_000);
    return { name: `${name}_bucket`, labels: { ...labels, le }, value: String(below) };
  });
  return [
    ...samples,
    { name: `${name}_sum`, labels, value: (totalMs / 1_000).toFixed(3) },
    { name: `${name}_count`, labels, value: String(below) },
  ];
}

function writeSample({ name, labels, value }: WrittenSample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}`;
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}
