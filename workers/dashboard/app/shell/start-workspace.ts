/** Which workspace opens where an address names none: the last one of this tab, else of this browser, else the oldest. */
import { attempt } from "../attempt.ts";

type Named = { readonly id: string };

const KEY = "hopline.workspace";

export function rememberWorkspace(id: string): void {
  // Where the browser keeps nothing, the oldest one opens.
  attempt(() => [sessionStorage, localStorage].forEach((storage) => storage.setItem(KEY, id)));
}

/** `null`: they are in none. */
export function startIn<Workspace extends Named>(workspaces: readonly Workspace[]): Workspace | null {
  const last = attempt(() => [sessionStorage.getItem(KEY), localStorage.getItem(KEY)]) ?? [];
  const known = last.flatMap((id) => workspaces.find((one) => one.id === id) ?? []);
  return known[0] ?? workspaces[0] ?? null;
}
