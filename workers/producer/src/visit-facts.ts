/**
 * What a rule may ask about a request, read only when one asks. Nothing here is made for a link that is the same for
 * everybody.
 */
import type { Visit } from "@hopline/core/link/outcome";
import { PREVIEW_MARK } from "@hopline/core/click/preview-mark";
import { readEdgeDevice } from "@hopline/core/rules/evaluate/edge-device";
import { createLocalTime, type LocalTime } from "@hopline/core/rules/evaluate/local-time";
import { createVisitor, type Place } from "@hopline/core/rules/evaluate/visitor";
import { readNetwork } from "./read-network.ts";

/** The isolate's table of zone offsets: plain data, bounded. */
const localTime: LocalTime = createLocalTime();

/** What stands after this in a user agent is not read. */
const MAX_READ_LENGTH = 512;

type VisitSource = { readonly query: string; readonly nowMs: number; readonly isUnlocked: boolean };

/** @param source `query`: the raw one, without its `?`. */
export function readVisit(request: Request, { query, nowMs, isUnlocked }: VisitSource): Visit {
  const { headers } = request;
  return {
    nowMs,
    isUnlocked: () => isUnlocked,
    isSocialCrawler: () => PREVIEW_MARK.test((headers.get("user-agent") ?? "").slice(0, MAX_READ_LENGTH)),
    visitor: () =>
      createVisitor({
        nowMs,
        query,
        localTime,
        readDevice: readEdgeDevice,
        header: (name) => headers.get(name),
        place: () => readPlace(request.cf),
        stickyKey: () => `${readNetwork(headers) ?? ""} ${headers.get("user-agent") ?? ""}`,
      }),
  };
}

function readPlace(cf: { readonly [field: string]: unknown } = {}): Place {
  return {
    country: toText(cf["country"]),
    continent: toText(cf["continent"]),
    regionCode: toText(cf["regionCode"]),
  };
}

function toText(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
