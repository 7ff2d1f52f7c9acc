/** The question before links are deleted. */
import type { Link } from "@hopline/client/openapi";
import { useQueryClient } from "@tanstack/react-query";
import { Confirm } from "../ui/modal.tsx";
import { say } from "../ui/toasts.ts";
import { useSending } from "../use-sending.ts";
import { deleteLinks, restoreLinks } from "./change-links.ts";
import { dropLinks, readListsAgain } from "./link-cache.ts";
import { t } from "./words.ts";

type ConfirmDeleteProps = {
  readonly links: readonly Link[];
  readonly onClose: () => void;
  readonly onDeleted: () => void;
};

/** Asked, because visitors notice at once. */
export function ConfirmDelete({ links, onClose, onDeleted }: ConfirmDeleteProps) {
  const queryClient = useQueryClient();
  const restoring = useSending({
    send: (hopline, ids: readonly string[]) => restoreLinks(hopline, ids),
    said: ({ restored, refusals }) => [restored === 0 ? "" : t.undone, ...refusals].join(" ").trim(),
    onSent: () => readListsAgain(queryClient),
    isBare: true,
  });
  return (
    <Confirm
      title={t.askDelete(links.length)}
      button={t.deleteOfCount(links.length)}
      send={(hopline) => deleteLinks(hopline, links)}
      onSent={(deleted) => {
        say(t.deleted(deleted.length), () => restoring.mutate(deleted));
        onClose();
        onDeleted();
        return dropLinks(queryClient, new Set(deleted));
      }}
      onClose={onClose}
    >
      {t.visitorsGet404Within(links.length)}
    </Confirm>
  );
}
