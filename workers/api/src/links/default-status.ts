/** The redirect status of a link that names none. */
import { REDIRECT_STATUSES, type RedirectStatus } from "@hopline/core/link/link-record";

/** The domain's own; 302 where it has no opinion (`null`). */
export function defaultStatusOf({
  redirectStatus,
}: {
  readonly redirectStatus: number | null;
}): RedirectStatus {
  return REDIRECT_STATUSES.find((known) => known === redirectStatus) ?? 302;
}
