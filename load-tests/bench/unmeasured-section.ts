/** A section that has gates and no measurement yet: it says so in the report instead of being left out. */
import type { Section, Unmeasured } from "./section.ts";

export function unmeasuredSection(title: string, unmeasured: readonly Unmeasured[]): Section {
  return {
    title,
    run: async () => ({
      figures: [],
      unmeasured,
      lines: unmeasured.map(({ why }) => why),
    }),
  };
}
