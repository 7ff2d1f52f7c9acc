/** What can be done with the chosen links, all at once. */
import type { Link } from "@hopline/client/openapi";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Archive, ArchiveRestore, Folder, Power, PowerOff, Tag, Trash2, X } from "lucide-react";
import { useState } from "react";
import { useHopline } from "../caches.ts";
import { formatNumber } from "../format.ts";
import { foldersQuery, tagsQuery } from "../queries.ts";
import { Button, IconButton } from "../ui/controls.tsx";
import { MenuItem, Popup, PopupMenu } from "../ui/popup-menu.tsx";
import { say, sayError } from "../ui/toasts.ts";
import { type Change, changeLinks, toUndo } from "./change-links.ts";
import { ConfirmDelete } from "./confirm-delete.tsx";
import { countLinks } from "./count-links.ts";
import { patchLinks, readListsAgain } from "./link-cache.ts";

type BulkBarProps = { readonly selected: readonly Link[]; readonly onDone: () => void };

/** In the place of what was done to the links. */
const UNDONE = "undone";

type Step = {
  readonly what: string;
  readonly links: readonly Link[];
  readonly toChange: (link: Link) => Change;
};

export function BulkBar({ selected, onDone }: BulkBarProps) {
  const queryClient = useQueryClient();
  const hopline = useHopline();
  const { data: folders = [] } = useQuery(foldersQuery);
  const [isDeleting, setDeleting] = useState(false);
  const changing = useMutation({
    mutationFn: ({ links, toChange }: Step) => changeLinks(hopline, links, toChange),
    onSuccess: ({ changed, refused }, { what, links }) => {
      void (what === UNDONE ? readListsAgain(queryClient) : patchLinks(queryClient, changed));
      void queryClient.invalidateQueries({ queryKey: ["tags"] });
      const before = new Map(links.map((link) => [link.id, link]));
      const undo = () => {
        const back = (link: Link) => toUndo(before.get(link.id) ?? link);
        changing.mutate({ what: UNDONE, links: changed, toChange: back });
      };
      const skipped =
        refused === 0
          ? ""
          : ` ${countLinks(refused)} had been changed by someone else and stayed as they are.`;
      if (what === UNDONE) {
        say(`Undone.${skipped}`);
      } else {
        say(`${countLinks(changed.length)} ${what}.${skipped}`, undo);
      }
      onDone();
    },
    onError: sayError,
  });
  const apply = (what: string, change: Change) =>
    changing.mutate({ what, links: selected, toChange: () => change });
  return (
    <div className="bulk" role="region" aria-label="Selected links">
      <strong>{formatNumber(selected.length)} selected</strong>
      <TagPopup
        onTag={(tag, isAdded) =>
          apply(
            isAdded ? `tagged ${tag}` : `untagged ${tag}`,
            isAdded ? { addTags: [tag] } : { removeTags: [tag] },
          )
        }
      />
      <PopupMenu
        side="top"
        trigger={
          <Button isSmall>
            <Folder size={15} aria-hidden /> Move
          </Button>
        }
      >
        <MenuItem onSelect={() => apply("moved out of folders", { folderId: null })}>No folder</MenuItem>
        {folders.map(({ id, name }) => (
          <MenuItem
            key={id}
            icon={<Folder size={15} aria-hidden />}
            onSelect={() => apply(`moved to ${name}`, { folderId: id })}
          >
            {name}
          </MenuItem>
        ))}
      </PopupMenu>
      <PopupMenu
        side="top"
        trigger={
          <Button isSmall>
            <Power size={15} aria-hidden /> Status
          </Button>
        }
      >
        <MenuItem
          icon={<Power size={15} aria-hidden />}
          onSelect={() => apply("enabled", { status: "live" })}
        >
          Enable
        </MenuItem>
        <MenuItem
          icon={<PowerOff size={15} aria-hidden />}
          onSelect={() => apply("disabled", { status: "disabled" })}
        >
          Disable
        </MenuItem>
        <MenuItem
          icon={<Archive size={15} aria-hidden />}
          onSelect={() => apply("archived", { status: "archived" })}
        >
          Archive
        </MenuItem>
        <MenuItem
          icon={<ArchiveRestore size={15} aria-hidden />}
          onSelect={() => apply("restored", { status: "live" })}
        >
          Unarchive
        </MenuItem>
      </PopupMenu>
      <Button isSmall isDanger onClick={() => setDeleting(true)}>
        <Trash2 size={15} aria-hidden /> Delete
      </Button>
      <IconButton label="Clear selection" isSmall className="spread" onClick={onDone}>
        <X size={16} aria-hidden />
      </IconButton>
      {isDeleting && <ConfirmDelete links={selected} onClose={() => setDeleting(false)} onDeleted={onDone} />}
    </div>
  );
}

function TagPopup({ onTag }: { readonly onTag: (tag: string, isAdded: boolean) => void }) {
  const { data: tags = [] } = useQuery(tagsQuery);
  const [tag, setTag] = useState("");
  const [isOpen, setOpen] = useState(false);
  const done = (isAdded: boolean) => {
    onTag(tag.trim(), isAdded);
    setTag("");
    setOpen(false);
  };
  return (
    <Popup
      title="Change tags"
      isOpen={isOpen}
      onOpenChange={setOpen}
      trigger={
        <Button isSmall>
          <Tag size={15} aria-hidden /> Tag
        </Button>
      }
    >
      <form
        className="stack tight"
        onSubmit={(event) => {
          event.preventDefault();
          done(true);
        }}
      >
        <input
          className="input"
          aria-label="Tag"
          placeholder="Tag"
          list="all-tags"
          value={tag}
          onChange={(event) => setTag(event.currentTarget.value)}
          required
          autoFocus
        />
        <datalist id="all-tags">
          {tags.map((one) => (
            <option key={one.name} value={one.name} />
          ))}
        </datalist>
        <div className="row">
          <Button type="submit" kind="primary" isSmall>
            Add
          </Button>
          <Button isSmall disabled={tag.trim() === ""} onClick={() => done(false)}>
            Remove
          </Button>
        </div>
      </form>
    </Popup>
  );
}
