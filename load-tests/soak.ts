/** Hours at a modest rate, for what only time shows: leaks, growing answer times, a backlog that never quite empties. */
import { steady, toOptions } from "./script/phases.ts";
import { SCRIPT_DEFAULTS } from "./script/script-defaults.ts";
import { readSettings } from "./script/settings.ts";
import { pickLink } from "./script/targets.ts";
import { createVisits } from "./script/visit.ts";

const settings = readSettings(__ENV, SCRIPT_DEFAULTS.soak);
const visits = createVisits(settings);

export const options = toOptions({
  settings,
  environment: __ENV,
  scriptName: "soak",
  scenarios: { steady: steady(settings.rate, settings.duration) },
});

export default function soak(): void {
  visits.visitLink(pickLink(settings.linkCount, Math.random));
}
