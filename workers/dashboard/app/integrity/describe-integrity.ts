/**
 * What the ledger says, in plain words. Pure. Nothing is said to be accounted for unless the API says so of the whole range.
 */
import type { Integrity } from "@hopline/client/openapi";
import { countOf, formatDate, formatDateTime, formatNumber } from "../format.ts";

export type Verdict = {
  readonly kind: "good" | "info" | "warn" | "bad";
  readonly title: string;
  readonly text: string;
};

type Told = Omit<Integrity, "timeZone" | "duplicate" | "deadLetters">;

export function describeIntegrity(told: Told, timeZone: string): Verdict {
  const range = describeRange(told, timeZone);
  switch (told.state) {
    case "accounted-for":
      return { kind: "good", title: `Every click ${range} is accounted for.`, text: describeSum(told) };
    case "arriving":
      return { kind: "info", title: "No click is missing so far.", text: describeArriving(told, timeZone) };
    case "missing":
      return {
        kind: "bad",
        title: `${countOf(told.missing, "click")} ${told.missing === 1 ? "is" : "are"} missing.`,
        text: `The edge numbered ${told.missing === 1 ? "it" : "them"} on ${describeDays(told, timeZone)}, and ${told.missing === 1 ? "it is" : "they are"} neither stored nor in a dead letter. ${describeSum(told)}`,
      };
  }
}

/** From its first day to its last one. */
function describeRange({ from, to }: Pick<Told, "from" | "to">, timeZone: string): string {
  const [first, last] = [formatDate(from, timeZone), formatDate(Date.parse(to) - 1, timeZone)];
  return first === last ? `of ${first}` : `from ${first} to ${last}`;
}

function describeSum({ accepted, inserted, rejected }: Told): string {
  return accepted === 0
    ? "There was none."
    : `${countOf(accepted, "click")} accepted at the edge: ${formatNumber(inserted)} stored${rejected === 0 ? "" : `, ${formatNumber(rejected)} in dead letters`}.`;
}

function describeArriving({ days, waiting, countedUntil }: Told, timeZone: string): string {
  if (countedUntil === null) {
    return "Nothing has been counted yet.";
  }
  const late =
    waiting === 0
      ? ""
      : ` ${countOf(waiting, "click")} ${waiting === 1 ? "is" : "are"} known to be on ${waiting === 1 ? "its" : "their"} way.`;
  const open = days.filter(({ state }) => state === "arriving").length;
  const which = open === 1 ? "the last day" : `the last ${formatNumber(open)} days`;
  return `The newest click that was counted is from ${formatDateTime(countedUntil, timeZone)}, so ${which} can still grow.${late} A day is confirmed once it is over and a later click was counted.`;
}

const MAX_NAMED_DAYS = 3;

function describeDays({ days }: Told, timeZone: string): string {
  const names = days.filter(({ missing }) => missing > 0).map(({ from }) => formatDate(from, timeZone));
  const rest = names.length - MAX_NAMED_DAYS;
  return rest > 0
    ? `${names.slice(0, MAX_NAMED_DAYS).join(", ")} and ${formatNumber(rest)} other days`
    : names.join(", ").replace(/, ([^,]*)$/, " and $1");
}
