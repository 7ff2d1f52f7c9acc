/** Which workspace opens where an address names none: the last one of this tab, else of this browser, else the oldest. */
type Named = { readonly id: string };

const KEY = "hopline.workspace";

export function rememberWorkspace(id: string): void {
  try {
    storages().forEach((storage) => storage.setItem(KEY, id));
  } catch {
    // Full: the oldest one opens.
  }
}

/** `null`: they are in none. */
export function startIn<Workspace extends Named>(workspaces: readonly Workspace[]): Workspace | null {
  const last = storages().map((storage) => storage.getItem(KEY));
  const known = last.flatMap((id) => workspaces.find((one) => one.id === id) ?? []);
  return known[0] ?? workspaces[0] ?? null;
}

/** None where the browser keeps nothing. */
function storages(): readonly Storage[] {
  try {
    return [sessionStorage, localStorage];
  } catch {
    return [];
  }
}
