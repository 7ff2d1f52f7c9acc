/** Which days are counted: a period by its name, or from one day to another by a calendar. */
import { Suspense, useState } from "react";
import { toWallTime } from "../links/wall-time.ts";
import { usePreferences } from "../preferences.ts";
import type { Cleared } from "../search-params.ts";
import { Button, choicesOf, Segments, Select } from "../ui/controls.tsx";
import { Skeleton } from "../ui/page.tsx";
import { Popup } from "../ui/popup-menu.tsx";
import { type AnalyticsSearch, type Period } from "./analytics-search.ts";
import { PERIODS, t } from "./words.ts";
import { lazyPart } from "../ui/lazy-part.ts";

// A calendar is a library of its own.
const RangeCalendar = lazyPart(() => import("./range-calendar.tsx"), "RangeCalendar");

type PeriodChoiceProps = {
  readonly search: AnalyticsSearch;
  readonly onChange: (change: Cleared<AnalyticsSearch>) => void;
};

const CHOICES = choicesOf(PERIODS);
const SHOWN: readonly Period[] = ["today", "last7Days", "last30Days", "last90Days", "last12Months"];

export function PeriodChoice({ search, onChange }: PeriodChoiceProps) {
  const { period = "last30Days", from, to } = search;
  const { timeZone } = usePreferences();
  const [isOpen, setOpen] = useState(false);
  const days = from === undefined ? null : `${from} to ${to ?? ""}`;
  const chosen = days === null ? period : "days";
  const choose = (value: Period | "days") => {
    if (value !== "days") {
      onChange({ period: value, from: undefined, to: undefined });
      setOpen(false);
    }
  };
  return (
    <div className="row wrap">
      <Select
        aria-label={t.period}
        className="input class-choice on-phone"
        value={chosen}
        onChange={choose}
        choices={[...(days === null ? [] : [{ value: "days" as const, label: days }]), ...CHOICES]}
      />
      <Segments
        label={t.period}
        value={chosen}
        onChange={choose}
        choices={CHOICES.filter(({ value }) => SHOWN.includes(value))}
      />
      <Popup
        title={t.anotherPeriod}
        isOpen={isOpen}
        onOpenChange={setOpen}
        trigger={
          <Button label={days ?? (SHOWN.includes(period) ? t.customRange : PERIODS[period])} isSmall />
        }
      >
        <div className="stack tight">
          <div className="row wrap">
            {CHOICES.filter(({ value }) => !SHOWN.includes(value)).map(({ value, label }) => (
              <Button label={label} key={value} isSmall onClick={() => choose(value)} />
            ))}
          </div>
          <Suspense fallback={<Skeleton lines={7} height={26} />}>
            <RangeCalendar
              from={from}
              to={to}
              today={toWallTime(new Date().toISOString(), timeZone).slice(0, 10)}
              onChoose={(range) => {
                onChange({ ...range, period: undefined });
                setOpen(false);
              }}
            />
          </Suspense>
        </div>
      </Popup>
    </div>
  );
}
