/**
 * Clicks as messages have them, as the text of their JSON. One that goes to many endpoints is read and written once: ten of them
 * would cost ten times as much of a run's CPU and of the database's.
 */
import type { ListedClick } from "@hopline/analytics/engine";
import { toClick } from "../analytics/click-shape.ts";
import type { ClickText, Delivery } from "./delivery.ts";

/** By event id; those that were deleted are missing. Rejects as the database does. */
export type ReadClickTexts = (
  workspaceId: string,
  rows: readonly Delivery[],
) => Promise<ReadonlyMap<string, ClickText>>;

type ReadClicks = (
  workspaceId: string,
  wanted: { readonly rows: readonly Delivery[]; readonly eventIds: readonly string[] },
) => Promise<readonly ListedClick[]>;

/** Of a run; each is less than a kilobyte. More than the clicks of a turn. */
const MAX_KEPT = 5_000;

/** For one run, which is short: a click that is deleted meanwhile may still be sent. */
export function createClickTexts(readClicks: ReadClicks): ReadClickTexts {
  /** By event id, which is unique in the deployment: what it was read with. */
  const readings = new Map<string, Promise<ReadonlyMap<string, ClickText>>>();
  return async (workspaceId, rows) => {
    const eventIds = rows.flatMap((row) => row.eventIds);
    const unread = eventIds.filter((id) => !readings.has(id));
    if (unread.length > 0) {
      const reading = readClicks(workspaceId, { rows, eventIds: unread }).then(toTexts);
      unread.forEach((id) => readings.set(id, reading));
      reading.catch(() => unread.forEach((id) => readings.delete(id)));
    }
    const found = await Promise.all(new Set(eventIds.flatMap((id) => readings.get(id) ?? [])));
    for (const id of readings.keys()) {
      if (readings.size <= MAX_KEPT) {
        break;
      }
      readings.delete(id);
    }
    return new Map(found.flatMap((texts) => [...texts]));
  };
}

function toTexts(clicks: readonly ListedClick[]): ReadonlyMap<string, ClickText> {
  return new Map(
    clicks.map((listed) => {
      const click = toClick(listed);
      return [listed.eventId, { id: click.id, at: click.at, json: JSON.stringify(click) }];
    }),
  );
}
