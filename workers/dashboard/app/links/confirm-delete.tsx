/** The question before links are deleted. */
import type { Link } from "@hopline/client/openapi";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useHopline } from "../caches.ts";
import { Button } from "../ui/controls.tsx";
import { Modal } from "../ui/modal.tsx";
import { say, sayError } from "../ui/toasts.ts";
import { deleteLinks, restoreLinks } from "./change-links.ts";
import { countLinks } from "./count-links.ts";
import { dropLinks, readListsAgain } from "./link-cache.ts";

type ConfirmDeleteProps = {
  readonly links: readonly Link[];
  readonly onClose: () => void;
  readonly onDeleted: () => void;
};

/** Asked, because visitors notice at once. */
export function ConfirmDelete({ links, onClose, onDeleted }: ConfirmDeleteProps) {
  const queryClient = useQueryClient();
  const hopline = useHopline();
  const restoring = useMutation({
    mutationFn: (ids: readonly string[]) => restoreLinks(hopline, ids),
    onSuccess: async ({ restored, refusals }) => {
      say([restored === 0 ? "" : "Undone.", ...refusals].join(" ").trim());
      await readListsAgain(queryClient);
    },
    onError: sayError,
  });
  const deleting = useMutation({
    mutationFn: () => deleteLinks(hopline, links),
    onSuccess: async (deleted) => {
      say(`${countLinks(deleted.length)} deleted.`, () => restoring.mutate(deleted));
      onClose();
      onDeleted();
      await dropLinks(queryClient, new Set(deleted));
    },
    onError: sayError,
  });
  return (
    <Modal title={`Delete ${countLinks(links.length)}?`} isOpen onClose={onClose}>
      <p>
        Visitors get a 404 within seconds. For 30 days you can restore {links.length === 1 ? "it" : "them"}{" "}
        from the trash; after that {links.length === 1 ? "it is" : "they are"} destroyed with all clicks. To
        take a link away and keep its clicks, archive it.
      </p>
      <div className="row">
        <Button kind="quiet" className="spread" onClick={onClose}>
          Cancel
        </Button>
        <Button kind="primary" isDanger disabled={deleting.isPending} onClick={() => deleting.mutate()}>
          Delete {countLinks(links.length)}
        </Button>
      </div>
    </Modal>
  );
}
