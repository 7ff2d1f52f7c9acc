/** What the pages of shell say. */
export const KEYS = [
  ["?", "Show this list"],
  ["Ctrl or ⌘ with K", "Find pages, links and actions"],
  ["/", "Search links"],
  ["n", "New link"],
  ["j, k or arrows", "Move through the links"],
  ["x or Space", "Select a link; with Shift a range"],
  ["Enter or e", "Edit it"],
  ["a", "Open its analytics"],
  ["c", "Copy its address"],
  ["m", "Open its menu"],
  ["Ctrl or ⌘ with Enter", "Save a form"],
  ["Esc", "Close a dialog"],
] as const;
