/** What a rule may ask about a request, read only when one asks. */
import { readEdgeDevice } from "@hopline/core/rules/evaluate/edge-device";
import { createLocalTime, type LocalTime } from "@hopline/core/rules/evaluate/local-time";
import { createVisitor, type Place, type Visitor } from "@hopline/core/rules/evaluate/visitor";
import { readNetwork, type RequestContext } from "../request-context.ts";

/** A table of zone offsets: plain data, bounded, the same whoever fills it. */
const localTime: LocalTime = createLocalTime();

export function createVisitorOf({ request, headers, query }: RequestContext, nowMs: number): () => Visitor {
  return () =>
    createVisitor({
      nowMs,
      query,
      localTime,
      readDevice: readEdgeDevice,
      header: (name) => headers.get(name),
      place: () => readPlace(request.cf),
      stickyKey: () => `${readNetwork(headers) ?? ""} ${headers.get("user-agent") ?? ""}`,
    });
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
