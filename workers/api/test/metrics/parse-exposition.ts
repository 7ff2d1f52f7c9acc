/**
 * Reads the Prometheus text format as its specification has it, and nothing else: written by itself, so that the tests
 * do not believe our own writer (https://prometheus.io/docs/instrumenting/exposition_formats/).
 */

export type ParsedSample = {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
};
export type ParsedFamily = { readonly help: string; readonly type: string; readonly samples: ParsedSample[] };

const METRIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? ([^ ]+)$/s;
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/;
const VALUE = /^[+-]?(?:\d+(?:\.\d*)?(?:e[+-]?\d+)?|Inf|NaN)$/i;
const TYPES = ["counter", "gauge", "histogram", "summary", "untyped"];

/** Throws where the text is not of the format; families by name. */
export function parseExposition(text: string): ReadonlyMap<string, ParsedFamily> {
  if (!text.endsWith("\n")) {
    throw new Error("the last line has no line feed");
  }
  const families = new Map<string, ParsedFamily>();
  let current = "";
  let help = "";
  for (const line of text.slice(0, -1).split("\n")) {
    const [, kind = "", name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (kind === "HELP") {
      help = rest;
      current = name;
      requireThat(METRIC_NAME.test(name) && !families.has(name), `a family begins once: ${line}`);
    } else if (kind === "TYPE") {
      requireThat(name === current && TYPES.includes(rest), `a type belongs to its help: ${line}`);
      families.set(name, { help, type: rest, samples: [] });
    } else {
      const sample = parseSample(line);
      const family = families.get(current);
      requireThat(family !== undefined && isOf(sample.name, current, family.type), `no family: ${line}`);
      family?.samples.push(sample);
    }
  }
  families.forEach(requireSound);
  return families;
}

function parseSample(line: string): ParsedSample {
  const [, name = "", labelText = "", valueText = ""] = SAMPLE.exec(line) ?? [];
  requireThat(name !== "" && VALUE.test(valueText), `no sample: ${line}`);
  const labels = new Map<string, string>();
  for (let rest = labelText; rest !== "";) {
    const [whole = "", label = "", text = ""] = LABEL.exec(rest) ?? [];
    requireThat(whole !== "" && !labels.has(label), `no labels: ${line}`);
    labels.set(
      label,
      text.replaceAll(/\\(.)/g, (_escape, character: string) => (character === "n" ? "\n" : character)),
    );
    rest = rest.slice(whole.length);
  }
  return { name, labels, value: Number(valueText.replace("Inf", "Infinity")) };
}

function isOf(sampleName: string, family: string, type: string): boolean {
  return type === "histogram"
    ? [`${family}_bucket`, `${family}_sum`, `${family}_count`].includes(sampleName)
    : sampleName === family;
}

/** Each set of labels once; of a histogram: rising bounds up to +Inf, counts that never fall, sum and count. */
function requireSound(family: ParsedFamily, name: string): void {
  const keys = family.samples.map((sample) =>
    JSON.stringify([sample.name, ...[...sample.labels].toSorted()]),
  );
  requireThat(new Set(keys).size === keys.length, `${name} has a sample twice`);
  if (family.type !== "histogram") {
    return;
  }
  const groups = Map.groupBy(family.samples, ({ labels }) =>
    JSON.stringify([...labels].filter(([label]) => label !== "le").toSorted()),
  );
  for (const group of groups.values()) {
    const buckets = group.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => Number((labels.get("le") ?? "").replace("+Inf", "Infinity")));
    const counts = buckets.map(({ value }) => value);
    requireThat(isRising(bounds, true) && bounds.at(-1) === Infinity, `${name} has bounds out of order`);
    requireThat(isRising(counts, false), `${name} has counts that fall`);
    const count = group.find((sample) => sample.name === `${name}_count`)?.value;
    requireThat(count === counts.at(-1), `${name}_count is its last bucket`);
    requireThat(group.filter((sample) => sample.name === `${name}_sum`).length === 1, `${name} has one sum`);
  }
}

function isRising(values: readonly number[], strictly: boolean): boolean {
  return values.every((value, index) => {
    const before = values[index - 1] ?? -Infinity;
    return strictly ? value > before : value >= before;
  });
}

function requireThat(condition: boolean, problem: string): void {
  if (!condition) {
    throw new Error(problem);
  }
}
