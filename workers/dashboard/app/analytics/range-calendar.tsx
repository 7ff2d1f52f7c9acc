/** Two days of a calendar. Days are texts, `2026-11-22`: the calendar's own dates never leave this file. */
import { useState } from "react";
import { type DateRange, DayPicker } from "react-day-picker";
import "react-day-picker/style.css";
import { Button } from "../ui/controls.tsx";
import { t } from "./words.ts";

type Days = { readonly from: string; readonly to: string };

type RangeCalendarProps = {
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** The last day that can be chosen. */
  readonly today: string;
  readonly onChoose: (days: Days) => void;
};

export function RangeCalendar({ from, to, today, onChoose }: RangeCalendarProps) {
  const [range, setRange] = useState<DateRange | undefined>(
    from === undefined || to === undefined ? undefined : { from: toDate(from), to: toDate(to) },
  );
  const first = range?.from;
  const last = range?.to ?? first;
  return (
    <>
      <DayPicker
        mode="range"
        captionLayout="dropdown"
        weekStartsOn={1}
        selected={range}
        onSelect={setRange}
        defaultMonth={last ?? toDate(today)}
        startMonth={new Date(2020, 0)}
        endMonth={toDate(today)}
        today={toDate(today)}
        disabled={{ after: toDate(today) }}
        autoFocus
      />
      <Button
        label={first && last ? t.showFirstToLast(toDay(first), toDay(last)) : t.chooseFirstAndLastDay}
        kind="primary"
        isSmall
        disabled={first === undefined}
        onClick={() => first && last && onChoose({ from: toDay(first), to: toDay(last) })}
      />
    </>
  );
}

/** Midnight in the browser's zone, as the calendar counts. */
function toDate(day: string): Date {
  return new Date(`${day}T00:00`);
}

function toDay(date: Date): string {
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0"));
  return `${date.getFullYear()}-${month}-${day}`;
}
