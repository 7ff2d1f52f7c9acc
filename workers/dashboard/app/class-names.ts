/** The classes of visitors, by the same words everywhere. */
export const CLASS_NAMES = {
  human: "People",
  bot: "Bots",
  preview: "Previews",
  prefetch: "Prefetches",
  head: "HEAD requests",
  monitor: "Monitors",
} as const;
