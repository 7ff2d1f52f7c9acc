/**
 * Reads the Prometheus text format as its specification defines it, independently of our own writer
 * (https://prometheus.io/docs/instrumenting/exposition_formats/).
 */

export type ParsedSample = {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
};

/** Families by name, with their samples. */
export type ParsedFamilies = ReadonlyMap<string, readonly ParsedSample[]>;

const TYPE = /^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (?:counter|gauge|histogram)$/;
const LABELS = /(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*",?)*/;
const SAMPLE = new RegExp(
  `^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(${LABELS.source})\\})? (\\d+(?:\\.\\d+)?)$`,
  "s",
);
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g;

/** Throws for text that is not in the format, and for a family or a sample that occurs twice. */
export function parseExposition(text: string): ParsedFamilies {
  const families = new Map<string, ParsedSample[]>();
  const seen = new Set<string>();
  let current = "";
  for (const line of text.split("\n").slice(0, text.endsWith("\n") ? -1 : undefined)) {
    const family = TYPE.exec(line)?.[1];
    const [, name = "", labels = "", value] = SAMPLE.exec(line) ?? [];
    if (family !== undefined && !families.has(family)) {
      current = family;
      families.set(family, []);
    } else if (value !== undefined && name.startsWith(current) && !seen.has(`${name} ${labels}`)) {
      seen.add(`${name} ${labels}`);
      families.get(current)?.push({ name, labels: parseLabels(labels), value: Number(value) });
    } else if (!line.startsWith("# HELP ")) {
      throw new Error(`not in the format, or twice: ${line}`);
    }
  }
  return families;
}

function parseLabels(text: string): ReadonlyMap<string, string> {
  const unescape = (value: string) =>
    value.replaceAll(/\\(.)/g, (_, character) => (character === "n" ? "\n" : character));
  return new Map(Array.from(text.matchAll(LABEL), ([, name = "", value = ""]) => [name, unescape(value)]));
}
