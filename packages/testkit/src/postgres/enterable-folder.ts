/**
 * Answers whether another user may reach a path, from the permission bits of its ancestors.
 *
 * Needed because Postgres refuses to run as root: its binaries and data must lie where the unprivileged user can go,
 * and a checkout in root's home (mode 0700) is not such a place. Access lists are not read; root squash is not known.
 */
import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

export type Account = { readonly uid: number; readonly gid: number };

const EXECUTE = 0o1;

/** True when `account` may enter every folder above `path`; the folder that holds `path` must exist. */
export function canReach(account: Account, path: string): boolean {
  let folder = dirname(
    existsSync(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path)),
  );
  for (;;) {
    if (!mayEnter(account, statSync(folder))) {
      return false;
    }
    const parent = dirname(folder);
    if (parent === folder) {
      return true;
    }
    folder = parent;
  }
}

/** One class of bits decides, the first that fits: owner, group, everyone (POSIX file access). */
export function mayEnter(
  account: Account,
  folder: { readonly uid: number; readonly gid: number; readonly mode: number },
): boolean {
  const shift = folder.uid === account.uid ? 6 : folder.gid === account.gid ? 3 : 0;
  return ((folder.mode >> shift) & EXECUTE) !== 0;
}
