/** The question before links are deleted. */
import { countOf } from "../format.ts";
import type { Link } from "@hopline/client/openapi";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useHopline } from "../caches.ts";
import { Confirm } from "../ui/confirm.tsx";
import { say, sayError } from "../ui/toasts.ts";
import { deleteLinks, restoreLinks } from "./change-links.ts";
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
      say(`${countOf(deleted.length, "link")} deleted.`, () => restoring.mutate(deleted));
      onClose();
      onDeleted();
      await dropLinks(queryClient, new Set(deleted));
    },
  });
  const [it, is] = links.length === 1 ? ["it", "it is"] : ["them", "they are"];
  return (
    <Confirm
      title={`Delete ${countOf(links.length, "link")}?`}
      button={`Delete ${countOf(links.length, "link")}`}
      onConfirm={() => deleting.mutate()}
      onClose={onClose}
      doing={deleting}
    >
      Visitors get a 404 within seconds. For 30 days you can restore {it} from the trash; after that {is}{" "}
      destroyed with all clicks. To take a link away and keep its clicks, archive it.
    </Confirm>
  );
}
