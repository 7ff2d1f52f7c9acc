/**
 * Lines over time, up to now: a bucket that is not over has a dotted line to its number so far. By pointer or with the arrow keys
 * one point after the other can be read; what it says is said to a screen reader, too.
 */
import type { ClickSeries } from "@hopline/client/openapi";
import { scaleLinear, scalePoint } from "d3-scale";
import { area, curveMonotoneX, line } from "d3-shape";
import { type CSSProperties, useId, useState } from "react";
import { formatDate, formatNumber, formatShort } from "../format.ts";
import { begunBuckets } from "./begun-buckets.ts";
import { bucketName } from "./bucket-name.ts";
import { useWidth } from "./use-width.ts";
import { t } from "./words.ts";

const HEIGHT = 240;
const EDGE = { top: 10, right: 8, bottom: 26, left: 44 };
/** Pixels that the name of a bucket needs. */
const NAME_WIDTH = 84;

type Line = { readonly name: string; readonly values: readonly number[]; readonly isDashed?: boolean };
/** The colour of a line. */
export const colorOf = (index: number, isDashed = false): CSSProperties =>
  ({ "--this": `var(${isDashed ? "--line-strong" : `--series-${index + 1}`})` }) as CSSProperties;

type SeriesChartProps = {
  readonly label: string;
  readonly interval: ClickSeries["interval"];
  readonly starts: readonly string[];
  /** Of the last bucket. */
  readonly end: string;
  readonly lines: readonly Line[];
  readonly timeZone: string;
};

export function SeriesChart({ label, interval, starts, end, lines, timeZone }: SeriesChartProps) {
  const [frame, width] = useWidth();
  const gradient = useId();
  const [at, setAt] = useState<number | null>(null);
  const highest = Math.max(1, ...lines.flatMap(({ values }) => values));
  const x = scalePoint<number>()
    .domain(starts.keys())
    .range([EDGE.left, Math.max(EDGE.left + 1, width - EDGE.right)]);
  const y = scaleLinear()
    .domain([0, highest])
    .nice(4)
    .range([HEIGHT - EDGE.bottom, EDGE.top]);
  const ticks = y.ticks(4).filter((value) => Number.isInteger(value));
  const every = Math.max(1, Math.ceil((starts.length * NAME_WIDTH) / Math.max(1, width - EDGE.left)));
  const begun = begunBuckets(starts, end, Date.now());
  const [last, done] = [begun.count - 1, begun.isOpen ? begun.count - 1 : begun.count];
  const move = (to: number) => setAt(Math.max(0, Math.min(last, to)));
  const toX = (_value: number, index: number) => x(index) ?? 0;
  const drawLine = line<number>()
    .x(toX)
    .y((value) => y(value))
    .curve(curveMonotoneX);
  const drawArea = area<number>()
    .x(toX)
    .y0(y(0))
    .y1((value) => y(value))
    .curve(curveMonotoneX);
  const [first] = lines;
  const shown = at === null ? null : starts[at];
  const isOneDay =
    (interval === "hour" || interval === "15m") &&
    formatDate(starts[0] ?? end, timeZone) === formatDate(Date.parse(end) - 1, timeZone);
  const nameOf = (start: string) => bucketName(start, interval, { timeZone, isOneDay });
  const sum = (values: readonly number[]) => formatNumber(values.reduce((total, value) => total + value, 0));
  return (
    <div
      ref={frame}
      className="chart"
      role="group"
      tabIndex={0}
      aria-label={t.overTimeArrowKeysRead(
        label,
        lines.map(({ name, values }) => `${name} ${sum(values)}`).join(", "),
      )}
      onPointerMove={(event) => {
        const left = event.clientX - event.currentTarget.getBoundingClientRect().left;
        move(Math.round((left - EDGE.left) / (x.step() || 1)));
      }}
      onPointerLeave={() => setAt(null)}
      onBlur={() => setAt(null)}
      onKeyDown={(event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (step !== undefined) {
          event.preventDefault();
          move((at ?? (step > 0 ? -1 : begun.count)) + step);
        }
      }}
    >
      {width > 0 && (
        <svg width={width} height={HEIGHT} aria-hidden>
          <defs>
            <linearGradient id={gradient} x1="0" x2="0" y1="0" y2="1">
              <stop offset="0" className="area-top" />
              <stop offset="1" className="area-bottom" />
            </linearGradient>
          </defs>
          {ticks.map((value) => (
            <g key={value} transform={`translate(0 ${y(value)})`}>
              <line className="gridline" x1={EDGE.left} x2={width - EDGE.right} />
              <text className="axis" x={EDGE.left - 8} dy="0.32em" textAnchor="end">
                {formatShort(value)}
              </text>
            </g>
          ))}
          {starts.map((start, index) =>
            index % every === 0 ? (
              <text
                key={start}
                className="axis"
                x={x(index)}
                y={HEIGHT - 7}
                textAnchor={index > starts.length - every / 2 - 1 ? "end" : "middle"}
              >
                {nameOf(start)}
              </text>
            ) : null,
          )}
          {first !== undefined && lines.length < 3 && (
            <path d={drawArea(first.values.slice(0, done)) ?? ""} fill={`url(#${gradient})`} />
          )}
          {lines.map((one, index) => (
            <path
              key={one.name}
              className={one.isDashed === true ? "series before" : "series"}
              style={colorOf(index, one.isDashed)}
              d={drawLine(one.values.slice(0, one.isDashed === true ? starts.length : done)) ?? ""}
            />
          ))}
          {begun.isOpen &&
            lines.map(({ name, values, isDashed }, index) =>
              isDashed === true ? null : (
                <g key={name} style={colorOf(index)}>
                  {done > 0 && (
                    <line
                      className="series so-far"
                      x1={x(done - 1)}
                      y1={y(values[done - 1] ?? 0)}
                      x2={x(done)}
                      y2={y(values[done] ?? 0)}
                    />
                  )}
                  <circle className="dot" cx={x(done)} cy={y(values[done] ?? 0)} r={3} />
                </g>
              ),
            )}
          {at !== null && (
            <g>
              <line className="cursor" x1={x(at)} x2={x(at)} y1={EDGE.top} y2={HEIGHT - EDGE.bottom} />
              {lines.map((one, index) => {
                const value = one.values[at];
                const look = { className: "dot", style: colorOf(index, one.isDashed), r: 4 };
                return value !== undefined && <circle key={one.name} {...look} cx={x(at)} cy={y(value)} />;
              })}
            </g>
          )}
        </svg>
      )}
      {at !== null && shown !== undefined && shown !== null && (
        <div
          className="chart-tip"
          role="status"
          style={{ left: Math.min(Math.max(0, (x(at) ?? 0) + 12), Math.max(0, width - 190)) }}
        >
          <strong>
            {nameOf(shown)}
            {begun.isOpen && at === last && t.soFar}
          </strong>
          {lines.map((one, index) => (
            <span key={one.name} className="row">
              <i className="key" style={colorOf(index, one.isDashed)} aria-hidden />
              <span className="cut">{one.name}</span>
              <b className="spread">{formatNumber(one.values[at] ?? 0)}</b>
            </span>
          ))}
        </div>
      )}
    </div>
  );
}
