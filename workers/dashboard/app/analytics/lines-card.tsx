/** The most frequent values of a dimension over time. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { formatNumber } from "../format.ts";
import { ask } from "../queries.ts";
import { choicesOf, Select } from "../ui/controls.tsx";
import { Waiting } from "../ui/page.tsx";
import { type Dimension, type toQuestion } from "./analytics-search.ts";
import { Completeness } from "./completeness.tsx";
import { colorOf, SeriesChart } from "./series-chart.tsx";
import { valueName } from "./value-name.ts";
import { DIMENSIONS, t } from "./words.ts";

/** As many as can be told apart by colour. */
const LINES = 5;

export function LinesCard({ question }: { readonly question: ReturnType<typeof toQuestion> }) {
  const [dimension, setDimension] = useState<Dimension>("link");
  const answer = useQuery({
    ...ask(["analytics", "lines", dimension, question], (hopline, options) =>
      hopline.readLines({ ...question, dimension, limit: LINES }, options),
    ),
    placeholderData: keepPreviousData,
  });
  const { data } = answer;
  return (
    <div className="stack">
      <div className="row wrap">
        <Select
          aria-label={t.dimension}
          className="input class-choice"
          value={dimension}
          onChange={setDimension}
          choices={choicesOf(DIMENSIONS)}
        />
        {data !== undefined && <Completeness range={data.range} />}
      </div>
      <Waiting query={answer} lines={6} height={30} />
      {data !== undefined && (
        <>
          <SeriesChart
            label={t.clicksByName(DIMENSIONS[data.dimension])}
            interval={data.interval}
            starts={data.starts}
            end={data.range.to}
            lines={data.lines.map(({ value, label, points }) => ({
              name: valueName(data.dimension, value, label),
              values: points,
            }))}
            timeZone={question.timeZone}
          />
          <ul className="row wrap legend">
            {data.lines.map(({ value, label, clicks }, index) => (
              <li key={value ?? ""} className="row">
                <i className="key" style={colorOf(index)} aria-hidden />
                {valueName(data.dimension, value, label)} <span className="soft">{formatNumber(clicks)}</span>
              </li>
            ))}
            {data.other.values > 0 && (
              <li className="soft">
                {t.moreNotShown(formatNumber(data.other.values), formatNumber(data.other.clicks))}
              </li>
            )}
          </ul>
        </>
      )}
    </div>
  );
}
