/** The question before links are deleted. */
import type { Link } from "@hopline/client/openapi";
import { Confirm } from "../ui/modal.tsx";
import { say } from "../ui/toasts.ts";
import { useSending } from "../use-sending.ts";
import { deleteLinks, restoreLinks } from "./change-links.ts";
import { patchLinks, readListsAgain } from "./link-cache.ts";
import { t } from "./words.ts";

type ConfirmDeleteProps = {
  readonly links: readonly Link[];
  readonly onClose: () => void;
  readonly onDeleted: () => void;
};

/** Asked, because visitors notice at once. */
export function ConfirmDelete({ links, onClose, onDeleted }: ConfirmDeleteProps) {
  const restoring = useSending({
    send: (hopline, ids: readonly string[]) => restoreLinks(hopline, ids),
    said: ({ restored, refusals }) => [restored === 0 ? "" : t.undone, ...refusals].join(" ").trim(),
    onSent: (_restored, _ids, cache) => readListsAgain(cache),
    isBare: true,
  });
  return (
    <Confirm
      title={t.askDelete(links.length)}
      button={t.deleteOfCount(links.length)}
      send={(hopline) => deleteLinks(hopline, links)}
      onSent={(deleted, _given, cache) => {
        say(t.deleted(deleted.length), () => restoring.mutate(deleted));
        onClose();
        onDeleted();
        return patchLinks(cache, [], deleted);
      }}
      onClose={onClose}
    >
      {t.visitorsGet404Within(links.length)}
    </Confirm>
  );
}
