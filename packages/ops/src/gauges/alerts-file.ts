/** docs/grafana/alerts.yaml: the alert rules as Prometheus reads them. Pure. */
import {
  ALERT_RULES,
  type AlertRule,
  type Condition,
  type Value,
  type Where,
} from "@hopline/core/alerts/alert-rules";

export const ALERTS_PATH = "docs/grafana/alerts.yaml";

/** Where a section of the run-book is, for a link beside the alert. */
export function sectionPath(section: string): string {
  return `docs/run-book.md#${section.toLowerCase().replaceAll(" ", "-")}`;
}

export function writeAlerts(): string {
  const head =
    "# Written by `pnpm types` from packages/core/src/alerts/alert-rules.ts.\ngroups:\n  - name: hopline\n    rules:\n";
  return head + ALERT_RULES.map(writeRule).join("");
}

/** A JSON string is one of YAML's. */
function writeRule({ name, summary, section, when, minutes }: AlertRule): string {
  return [
    `      - alert: ${name}`,
    `        expr: ${JSON.stringify(when.map(writeCondition).join(" and "))}`,
    ...(minutes === 0 ? [] : [`        for: ${minutes}m`]),
    `        annotations:`,
    `          summary: ${JSON.stringify(summary)}`,
    `          run_book: ${JSON.stringify(sectionPath(section))}`,
    "",
  ].join("\n");
}

function writeCondition(condition: Condition): string {
  const bound = "above" in condition ? `> ${condition.above}` : `< ${condition.below}`;
  return `${writeValue(condition.value)} ${bound}`;
}

/** Without labels, so that conditions can be joined by `and`. */
function writeValue(value: Value): string {
  if ("largest" in value) {
    return `max(${value.largest}${writeWhere(value.where)})`;
  }
  if ("sum" in value) {
    return `sum(${value.sum})`;
  }
  if ("since" in value) {
    return `time() - max(${value.since})`;
  }
  if ("grown" in value) {
    return `sum(increase(${value.grown}${writeWhere(value.where)}[${value.minutes}m]))`;
  }
  return "part" in value
    ? `${writeValue(value.part)} / ${writeValue(value.of)}`
    : `1 - ${writeValue(value.allBut)} / ${writeValue(value.of)}`;
}

function writeWhere(where: Where = {}): string {
  const matchers = Object.entries(where).map(
    ([label, [operator, text]]) => `${label}${operator}${JSON.stringify(text)}`,
  );
  return matchers.length === 0 ? "" : `{${matchers.join(",")}}`;
}
