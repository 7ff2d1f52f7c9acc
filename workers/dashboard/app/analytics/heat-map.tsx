/** Clicks by weekday and hour of the chosen zone. */
import { useQuery } from "@tanstack/react-query";
import { formatNumber } from "../format.ts";
import { ask } from "../queries.ts";
import { Note, Waiting } from "../ui/page.tsx";
import { hasCode } from "../api.ts";
import type { toQuestion } from "./analytics-search.ts";
import { Completeness } from "./completeness.tsx";
import { foldHours } from "./fold-hours.ts";
import { DAYS, t } from "./words.ts";

export function HeatMap({ question }: { readonly question: ReturnType<typeof toQuestion> }) {
  const series = useQuery(
    ask(["analytics", "hours", question], (hopline, options) =>
      hopline.readTimeseries({ ...question, interval: "hour" }, options),
    ),
  );
  if (hasCode(series.error, "invalid")) {
    return <Note>{t.choosePeriodAtMost80Days}</Note>;
  }
  if (series.data === undefined) {
    return <Waiting query={series} lines={7} height={26} />;
  }
  const hours = foldHours(series.data.points, question.timeZone);
  const most = Math.max(1, ...hours.flat());
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label={t.clicksByWeekdayAndHour}>
      <table className="heat">
        <caption className="soft small">
          {t.clicksByWeekdayAndHourOfTimeZone(question.timeZone.replaceAll("_", " "))}{" "}
          <Completeness range={series.data.range} />
        </caption>
        <thead>
          <tr>
            <th>
              <span className="hidden-label">{t.day}</span>
            </th>
            {Array.from({ length: 24 }, (_, hour) => (
              <th key={hour} scope="col">
                {String(hour).padStart(2, "0")}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {hours.map((ofDay, day) => (
            <tr key={DAYS[day]}>
              <th scope="row">{DAYS[day]}</th>
              {ofDay.map((clicks, hour) => (
                <td
                  key={hour}
                  title={t.n00Clicks(DAYS[day] ?? "", String(hour).padStart(2, "0"), formatNumber(clicks))}
                  style={
                    { "--heat": `${clicks === 0 ? 0 : 14 + (clicks / most) * 86}%` } as React.CSSProperties
                  }
                >
                  <span className="hidden-label">{formatNumber(clicks)}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
