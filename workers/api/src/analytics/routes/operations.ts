/** The operations under /api/v1/analytics. */
import type { ApiDeps } from "../../api-deps.ts";
import { readBreakdownOperation, readLinesOperation, suggestValuesOperation } from "./breakdowns.ts";
import { compareOperation, readTimeseriesOperation, readTotalsOperation } from "./counts.ts";
import { exportClicksOperation, listClicksOperation } from "./events.ts";
import { readOverviewOperation } from "./overview.ts";
import { streamLiveClicksOperation } from "../../live/live-route.ts";

export function listAnalyticsOperations(deps: ApiDeps) {
  return [
    readTotalsOperation(deps),
    readTimeseriesOperation(deps),
    compareOperation(deps),
    readBreakdownOperation(deps),
    readLinesOperation(deps),
    suggestValuesOperation(deps),
    listClicksOperation(deps),
    exportClicksOperation(deps),
    readOverviewOperation(deps),
    streamLiveClicksOperation(deps),
  ] as const;
}
