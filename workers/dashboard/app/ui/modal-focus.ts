/**
 * Where the focus goes when a dialog closes: back to what opened it. The library looks once the dialog is drawn, when a field in
 * it may have taken the focus already, and it takes the focus from a dialog that follows another one.
 */

/** What had the focus when a dialog opened; if that was in a dialog, then what had it before that one, too. */
export type Opening = { readonly from: readonly Element[]; readonly before: Opening | null };

let newest: Opening | null = null;

/** Before the dialog is drawn. */
export function noteOpening(): Opening {
  const focused = document.activeElement ?? document.body;
  if (newest === null || newest.from[0] !== focused) {
    const isInDialog = focused.closest(".dialog") !== null;
    newest = { from: [focused, ...(isInDialog ? (newest?.from ?? []) : [])], before: newest };
  }
  return newest;
}

/** As the library takes it: `false` moves nothing, `true` is its own way. */
export function returnFocus(opening: Opening): HTMLElement | boolean {
  if (opening !== newest) {
    // Another dialog came in its place, and has the focus.
    return false;
  }
  newest = opening.before;
  const place = opening.from.find((element) => element.isConnected && element !== document.body);
  const focused = document.activeElement;
  const isLost = focused === document.body || focused?.closest(".dialog") !== null;
  return place instanceof HTMLElement ? place : ((isLost ? headOfPage() : null) ?? true);
}

/** Where the focus goes when what had it went with its page: the next Tab goes on from there. */
export function headOfPage(): HTMLElement | null {
  return document.querySelector<HTMLElement>("#content h1") ?? document.getElementById("content");
}
