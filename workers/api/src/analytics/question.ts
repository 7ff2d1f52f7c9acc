import type { Filter } from "./dimension.ts";
import type { InstantRange } from "./range.ts";

/** Which clicks to count. */
export type Question = {
  readonly workspaceId: string;
  readonly range: InstantRange;
  readonly filters: readonly Filter[];
};
