/**
 * A line plot as SVG text: no script, no font, no request. Colours are CSS variables of the page (`--series-1` …), so
 * that one drawing serves light and dark. Pure.
 */
import { escapeHtml } from "./escape-html.ts";
import { formatNumber, formatSeconds, niceTicks, timeTicks } from "./axis.ts";
import type { Line } from "./run-series.ts";

export type PlotLine = {
  readonly name: string;
  readonly line: Line;
  /** 1 to 5: the page's palette. */
  readonly colour: number;
  /** Fills what is below the line: lightly, or wholly where the lines are sums that cover each other. */
  readonly fill?: "light" | "whole";
};

export type Plot = {
  readonly title: string;
  /** What the vertical axis counts: `ms`, `per second`. */
  readonly unit: string;
  readonly lines: readonly PlotLine[];
  readonly lengthSeconds: number;
  /** The end of the vertical axis at least; for shares always 1. */
  readonly minTop?: number;
  readonly format?: (value: number) => string;
  /** Twice as wide as others. */
  readonly isWide?: boolean;
  /** Moments worth a thin line: where a phase begins. */
  readonly marks?: readonly { readonly atSeconds: number; readonly name: string }[];
};

const WIDTH = 560;
/** Two plots and the gap between them. */
const DOUBLE_WIDTH = 1_166;
const HEIGHT = 220;
const LEFT = 52;
const RIGHT = 12;
const TOP = 20;
const BOTTOM = 26;
const PLOT_HEIGHT = HEIGHT - TOP - BOTTOM;

type Scale = {
  readonly right: number;
  readonly x: (atSeconds: number) => number;
  readonly y: (value: number) => number;
};

export function drawPlot(plot: Plot): string {
  const { format = formatNumber } = plot;
  const max = Math.max(
    plot.minTop ?? 0,
    ...plot.lines.flatMap(({ line }) => line.map(({ value }) => value ?? 0)),
  );
  const ticks = niceTicks(max, 4);
  const top = ticks.at(-1) ?? 1;
  const width = plot.isWide === true ? DOUBLE_WIDTH : WIDTH;
  const right = width - RIGHT;
  const scale: Scale = {
    right,
    x: (atSeconds) => LEFT + ((right - LEFT) * Math.min(atSeconds, plot.lengthSeconds)) / plot.lengthSeconds,
    y: (value) => TOP + PLOT_HEIGHT * (1 - value / top),
  };
  const label = `${plot.title}, ${plot.unit}`;
  return [
    `<svg viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label="${escapeHtml(label)}">`,
    ...ticks.map((tick) => drawHorizontal(tick, scale, format)),
    ...timeTicks(plot.lengthSeconds).map((tick) => drawTimeTick(tick, scale)),
    ...(plot.marks ?? []).map((mark) => drawMark(mark, scale)),
    ...plot.lines.map((line) => drawLine(line, scale)),
    "</svg>",
  ].join("");
}

function drawHorizontal(tick: number, { y, right }: Scale, format: (value: number) => string): string {
  const at = round(y(tick));
  const className = tick === 0 ? "axis" : "grid";
  return (
    `<line class="${className}" x1="${LEFT}" x2="${right}" y1="${at}" y2="${at}"/>` +
    `<text class="tick" x="${LEFT - 8}" y="${round(at + 3.5)}" text-anchor="end">${escapeHtml(format(tick))}</text>`
  );
}

function drawTimeTick(tick: number, { x }: Scale): string {
  const anchor = tick === 0 ? "start" : "middle";
  return `<text class="tick" x="${round(x(tick))}" y="${HEIGHT - 8}" text-anchor="${anchor}">${formatSeconds(tick)}</text>`;
}

function drawMark(
  { atSeconds, name }: { readonly atSeconds: number; readonly name: string },
  { x }: Scale,
): string {
  const at = round(x(atSeconds));
  return (
    `<line class="mark" x1="${at}" x2="${at}" y1="${TOP - 14}" y2="${HEIGHT - BOTTOM}"/>` +
    `<text class="tick" x="${round(at + 5)}" y="${TOP - 7}">${escapeHtml(name)}</text>`
  );
}

/** A moment without a value breaks the line. */
function drawLine({ line, colour, fill }: PlotLine, { x, y }: Scale): string {
  const pieces: string[][] = [[]];
  for (const { atSeconds, value } of line) {
    if (value === null) {
      pieces.push([]);
    } else {
      pieces.at(-1)?.push(`${round(x(atSeconds))} ${round(y(value))}`);
    }
  }
  return pieces
    .filter((piece) => piece.length > 0)
    .map((piece) => {
      const path = `M${piece.join("L")}`;
      const [first = "", last = ""] = [piece[0]?.split(" ")[0], piece.at(-1)?.split(" ")[0]];
      const area = `${path}L${last} ${round(y(0))}L${first} ${round(y(0))}Z`;
      return (
        (fill === undefined ? "" : `<path class="area ${fill} series-${colour}" d="${area}"/>`) +
        `<path class="line series-${colour}" d="${path}"/>`
      );
    })
    .join("");
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
