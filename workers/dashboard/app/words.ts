/** What several pages say. */
/** Where the API speaks to programs, which have keys and scopes. */
export const FOR_PEOPLE: { readonly [code: string]: string } = {
  not_found: "This does not exist any more, or you have no access to it.",
  scope_missing: "Your role does not allow this. Ask an admin of this workspace.",
  workspace_not_found: "This workspace does not exist any more, or your access to it has ended.",
};

/** The classes of visitors, by the same words everywhere. */
export const CLASS_NAMES = {
  human: "People",
  bot: "Bots",
  preview: "Previews",
  prefetch: "Prefetches",
  head: "HEAD requests",
  monitor: "Monitors",
} as const;

export const THEME_NAMES = { system: "Match system", light: "Light", dark: "Dark" } as const;
