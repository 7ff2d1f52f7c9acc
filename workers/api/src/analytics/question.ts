import type { Filter } from "@hopline/analytics/dimension";
import type { InstantRange } from "@hopline/analytics/range";

/** Which clicks to count. */
export type Question = {
  readonly workspaceId: string;
  readonly range: InstantRange;
  readonly filters: readonly Filter[];
};
