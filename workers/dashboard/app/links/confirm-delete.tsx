/** The question before links are deleted. */
import type { Link } from "@hopline/client/openapi";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useHopline } from "../caches.ts";
import { Button } from "../ui/controls.tsx";
import { Modal } from "../ui/modal.tsx";
import { say, sayError } from "../ui/toasts.ts";
import { deleteLinks } from "./change-links.ts";
import { countLinks } from "./count-links.ts";
import { readListsAgain } from "./link-cache.ts";

type ConfirmDeleteProps = {
  readonly links: readonly Link[];
  readonly onClose: () => void;
  readonly onDeleted: () => void;
};

/** Asked, because there is no way back: anybody in the workspace may take the address afterwards. */
export function ConfirmDelete({ links, onClose, onDeleted }: ConfirmDeleteProps) {
  const queryClient = useQueryClient();
  const hopline = useHopline();
  const deleting = useMutation({
    mutationFn: () => deleteLinks(hopline, links),
    onSuccess: async (deleted) => {
      say(`${countLinks(deleted)} deleted.`);
      onClose();
      onDeleted();
      await readListsAgain(queryClient);
    },
    onError: sayError,
  });
  return (
    <Modal title={`Delete ${countLinks(links.length)}?`} isOpen onClose={onClose}>
      <p>
        Visitors get a 404 within seconds, and the {links.length === 1 ? "address is" : "addresses are"} free
        for other links. The clicks stay in the analytics. To take a link away and keep its address, archive
        it.
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
