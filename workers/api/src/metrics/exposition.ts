/**
 * Writes the Prometheus text format, version 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/). Pure. Exact
 * for numbers that are too large for a double.
 */

export const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export type Labels = { readonly [name: string]: string };

export type Sample = { readonly labels?: Labels; readonly value: bigint | number };

/** A histogram for one set of labels. */
export type Histogram = {
  readonly labels?: Labels;
  /** Observations in each bucket, not cumulative; one bucket more than there are bounds. */
  readonly buckets: readonly bigint[];
  /** Sum of all observations, milliseconds. */
  readonly totalMs: bigint;
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
  const lines =
    family.type === "histogram"
      ? family.histograms.flatMap((histogram) => writeHistogram(name, family.boundsMs, histogram))
      : family.samples.map(({ labels, value }) => writeSample(name, labels, String(value)));
  return [`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`, ...lines, ""].join("\n");
}

function writeHistogram(
  name: string,
  boundsMs: readonly number[],
  { labels, buckets, totalMs }: Histogram,
): readonly string[] {
  let below = 0n;
  const lines = buckets.map((observations, index) => {
    below += observations;
    const boundMs = boundsMs[index];
    const le = boundMs === undefined ? "+Inf" : String(boundMs / 1_000);
    return writeSample(`${name}_bucket`, { ...labels, le }, String(below));
  });
  return [
    ...lines,
    writeSample(`${name}_sum`, labels, toSeconds(totalMs)),
    writeSample(`${name}_count`, labels, String(below)),
  ];
}

function writeSample(name: string, labels: Labels = {}, value: string): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}`;
}

/** Exact for any number of milliseconds. */
function toSeconds(totalMs: bigint): string {
  return `${totalMs / 1_000n}.${String(totalMs % 1_000n).padStart(3, "0")}`;
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}
