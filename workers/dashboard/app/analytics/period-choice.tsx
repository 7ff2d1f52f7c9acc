/** Which days are counted: a period by its name, or from one day to another by a calendar. */
import { lazyRouteComponent } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { toWallTime } from "../links/wall-time.ts";
import { usePreferences } from "../preferences.ts";
import { Button, Segments, Select } from "../ui/controls.tsx";
import { Skeleton } from "../ui/notes.tsx";
import { Popup } from "../ui/popup-menu.tsx";
import { type AnalyticsSearch, PERIODS, withoutDays } from "./analytics-search.ts";

// A calendar is a library of its own.
const RangeCalendar = lazyRouteComponent(() => import("./range-calendar.tsx"), "RangeCalendar");

type PeriodChoiceProps = {
  readonly search: AnalyticsSearch;
  readonly onChange: (search: AnalyticsSearch) => void;
};

const SHOWN_PERIODS = ["today", "last7Days", "last30Days", "last90Days", "last12Months"] as const;

export function PeriodChoice({ search, onChange }: PeriodChoiceProps) {
  const { period, from, to } = search;
  const { timeZone } = usePreferences();
  const [isOpen, setOpen] = useState(false);
  const chosen = from === undefined ? (period ?? "last30Days") : "days";
  const others = (Object.keys(PERIODS) as (keyof typeof PERIODS)[]).filter(
    (one) => !SHOWN_PERIODS.some((shown) => shown === one),
  );
  const choose = (value: keyof typeof PERIODS) => {
    onChange({ ...withoutDays(search), period: value });
    setOpen(false);
  };
  return (
    <div className="row wrap">
      <Select
        aria-label="Period"
        className="input class-choice on-phone"
        value={chosen}
        onChange={(value) => {
          const known = (Object.keys(PERIODS) as (keyof typeof PERIODS)[]).find((one) => one === value);
          if (known !== undefined) {
            choose(known);
          }
        }}
        choices={[
          ...(from === undefined ? [] : [{ value: "days", label: `${from} to ${to ?? ""}` }]),
          ...Object.entries(PERIODS).map(([value, label]) => ({ value, label })),
        ]}
      />
      <Segments<string>
        label="Period"
        value={chosen}
        onChange={(value) => {
          const known = SHOWN_PERIODS.find((one) => one === value);
          if (known !== undefined) {
            choose(known);
          }
        }}
        choices={SHOWN_PERIODS.map((value) => ({ value, label: PERIODS[value] }))}
      />
      <Popup
        title="Another period"
        isOpen={isOpen}
        onOpenChange={setOpen}
        trigger={
          <Button isSmall>
            {from !== undefined
              ? `${from} to ${to ?? ""}`
              : others.includes(chosen as never)
                ? PERIODS[chosen as keyof typeof PERIODS]
                : "Custom range"}
          </Button>
        }
      >
        <div className="stack tight">
          <div className="row wrap">
            {others.map((value) => (
              <Button key={value} isSmall onClick={() => choose(value)}>
                {PERIODS[value]}
              </Button>
            ))}
          </div>
          <Suspense fallback={<Skeleton lines={7} height={26} />}>
            <RangeCalendar
              from={from}
              to={to}
              today={toWallTime(new Date().toISOString(), timeZone).slice(0, 10)}
              onChoose={(days) => {
                onChange({ ...withoutDays(search), ...days });
                setOpen(false);
              }}
            />
          </Suspense>
        </div>
      </Popup>
    </div>
  );
}
