/** docs/grafana/hopline.json: the panels as Grafana imports them. Pure. */
import { type Panel, PANELS } from "./panels.ts";

export const DASHBOARD_PATH = "docs/grafana/hopline.json";

/** Grafana's grid is 24 wide: eight numbers in a row, then two graphs in a row. */
const COLUMNS = 24;
const NUMBER = { w: 3, h: 4 };
const GRAPH = { w: 12, h: 7 };

const SOURCE = { type: "prometheus", uid: "${source}" };

export function writeDashboard(): string {
  const numbers = PANELS.filter(({ limits }) => limits !== undefined);
  const graphs = PANELS.filter(({ limits }) => limits === undefined);
  const dashboard = {
    uid: "hopline",
    title: "Hopline",
    tags: ["hopline"],
    schemaVersion: 39,
    refresh: "30s",
    time: { from: "now-1h", to: "now" },
    templating: {
      list: [
        { name: "source", label: "Prometheus", type: "datasource", query: "prometheus" },
        {
          name: "colo",
          label: "Data centre",
          type: "query",
          datasource: SOURCE,
          query: "label_values(redirect_duration_seconds_count, colo)",
          includeAll: true,
          allValue: ".*",
          multi: true,
          refresh: 2,
        },
      ],
    },
  };
  const panels = [
    ...numbers.map((panel, index) => toPanel(panel, index, placeAt(index, NUMBER, 0))),
    ...graphs.map((panel, index) => toPanel(panel, numbers.length + index, placeAt(index, GRAPH, NUMBER.h))),
  ];
  // A line for each part and each panel: what changed is seen in a review.
  const parts = Object.entries(dashboard).map(([name, part]) => `  "${name}": ${JSON.stringify(part)},\n`);
  return `{\n${parts.join("")}  "panels": [\n${panels.map((panel) => `    ${JSON.stringify(panel)}`).join(",\n")}\n  ]\n}\n`;
}

type Size = { readonly w: number; readonly h: number };

function placeAt(index: number, { w, h }: Size, top: number) {
  const inRow = COLUMNS / w;
  return { x: (index % inRow) * w, y: top + Math.floor(index / inRow) * h, w, h };
}

function toPanel({ title, unit, lines, limits, explains }: Panel, index: number, gridPos: object): object {
  const steps =
    limits === undefined
      ? []
      : [
          { color: "orange", value: limits[0] },
          { color: "red", value: limits[1] },
        ];
  return {
    id: index + 1,
    title,
    ...(explains === undefined ? {} : { description: explains }),
    type: limits === undefined ? "timeseries" : "stat",
    datasource: SOURCE,
    gridPos,
    fieldConfig: {
      defaults: {
        unit,
        min: 0,
        thresholds: { mode: "absolute", steps: [{ color: "green", value: null }, ...steps] },
      },
    },
    ...(limits === undefined
      ? {}
      : { options: { colorMode: "background", reduceOptions: { calcs: ["lastNotNull"] } } }),
    targets: Object.entries(lines).map(([legendFormat, expr], at) => ({
      refId: String.fromCodePoint(65 + at),
      expr,
      legendFormat,
      // Of now, or none: over the range it would be the last number before an outage, in green, for an hour.
      ...(limits === undefined ? {} : { instant: true, range: false }),
    })),
  };
}
