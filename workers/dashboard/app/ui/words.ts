/** What the parts of every page say. */
export const t = {
  // combobox-fields.tsx
  removeToken: (token: string) => `Remove ${token}`,
  noMatch: "No match",
  // controls.tsx
  csv: "CSV",
  downloadThisListAsCsv: "Download this list as CSV",
  removeFilter: (text: string) => `Remove the filter ${text}`,
  // data-table.tsx
  details: "Details",
  // copy.ts
  selectAndCopyItYourself: (name: string) => `Select ${name} and copy it yourself.`,
  downloadInstead: (name: string) => `Download ${name} instead.`,
  copiedName: (name: string) => `Copied ${name}`,
  thisBrowserDoesNotAllow: (otherwise: string) => `This browser does not allow copying. ${otherwise}`,
  // form.tsx
  n1ThingNeedsAnotherLook: "1 thing needs another look",
  thingsNeedAnotherLook: (count: number) => `${count} things need another look`,
  willBeSaved: "Will be saved when you are online",
  youAreOffline: "You are offline",
  // modal.tsx
  thisIsOnlyTimeThatIsShown: (name: string, advice: string) =>
    `This is the only time that ${name} is shown. ${advice}`,
  // overlays.tsx
  dismiss: "Dismiss",
  selected: "selected",
  // page.tsx
  ifYouReportThisQuote: "If you report this, quote the request id",
  tryAgain: "Try again",
  loading: "Loading…",
  showMore: "Show more",
  loadingLabel: "Loading",
  takingLongerThanUsual: "Taking longer than usual…",
  // toasts.ts
  undo: "Undo",
  requestId: (requestId: string) => `Request id ${requestId}`,
  undone: "Undone.",
};
