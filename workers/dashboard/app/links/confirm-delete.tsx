/** The question before links are deleted. */
import { countOf } from "../format.ts";
import type { Link } from "@hopline/client/openapi";
import { useQueryClient } from "@tanstack/react-query";
import { Confirm } from "../ui/modal.tsx";
import { say } from "../ui/toasts.ts";
import { useSending } from "../use-sending.ts";
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
  const restoring = useSending({
    send: (hopline, ids: readonly string[]) => restoreLinks(hopline, ids),
    said: ({ restored, refusals }) => [restored === 0 ? "" : "Undone.", ...refusals].join(" ").trim(),
    onSent: () => readListsAgain(queryClient),
    isBare: true,
  });
  const [it, is] = links.length === 1 ? ["it", "it is"] : ["them", "they are"];
  return (
    <Confirm
      title={`Delete ${countOf(links.length, "link")}?`}
      button={`Delete ${countOf(links.length, "link")}`}
      send={(hopline) => deleteLinks(hopline, links)}
      onSent={(deleted) => {
        say(`${countOf(deleted.length, "link")} deleted.`, () => restoring.mutate(deleted));
        onClose();
        onDeleted();
        return dropLinks(queryClient, new Set(deleted));
      }}
      onClose={onClose}
    >
      Visitors get a 404 within seconds. For 30 days you can restore {it} from the trash; after that {is}{" "}
      destroyed with all clicks. To take a link away and keep its clicks, archive it.
    </Confirm>
  );
}
