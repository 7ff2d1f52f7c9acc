/** What can be done with the chosen links, all at once. */
import type { Link } from "@hopline/client/openapi";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import {
  Archive,
  ArchiveRestore,
  CalendarClock,
  Download,
  Ellipsis,
  Folder,
  Megaphone,
  Power,
  PowerOff,
  Tag,
  Trash2,
  X,
} from "lucide-react";
import { useState } from "react";
import { useHopline } from "../caches.ts";
import { countOf, formatNumber } from "../format.ts";
import { foldersQuery, tagsQuery } from "../queries.ts";
import { Button, IconButton } from "../ui/controls.tsx";
import { MenuItem, Popup, PopupMenu } from "../ui/popup-menu.tsx";
import { saveFile } from "../ui/save-file.ts";
import { say, sayError } from "../ui/toasts.ts";
import { ExpiryDialog, UtmDialog } from "./bulk-dialogs.tsx";
import { type Change, changeLinks, exportLinks, toUndo } from "./change-links.ts";
import { ConfirmDelete } from "./confirm-delete.tsx";
import { patchLinks, readListsAgain } from "./link-cache.ts";
import { t } from "./words.ts";
import { shared } from "../words.ts";

type BulkBarProps = { readonly selected: readonly Link[]; readonly onDone: () => void };

/** In the place of what was done to the links. */
const UNDONE = "undone";

type ToChange = (link: Link) => Change;
type Step = { readonly what: string; readonly links: readonly Link[]; readonly toChange: ToChange };

export function BulkBar({ selected, onDone }: BulkBarProps) {
  const queryClient = useQueryClient();
  const hopline = useHopline();
  const { data: folders = [] } = useQuery(foldersQuery);
  const [open, setOpen] = useState<"delete" | "expiry" | "utm" | null>(null);
  const close = () => setOpen(null);
  const changing = useMutation({
    mutationFn: ({ links, toChange }: Step) => changeLinks(hopline, links, toChange),
    onSuccess: ({ changed, overtaken, refusals }, { what, links, toChange }) => {
      void (what === UNDONE ? readListsAgain(queryClient) : patchLinks(queryClient, changed));
      void queryClient.invalidateQueries({ queryKey: ["tags"] });
      void queryClient.invalidateQueries({ queryKey: ["folders"] });
      const before = new Map(links.map((link) => [link.id, link]));
      const undo = () => {
        const back = (link: Link) => {
          const former = before.get(link.id) ?? link;
          return toUndo(former, toChange(former));
        };
        changing.mutate({ what: UNDONE, links: changed, toChange: back });
      };
      const skipped = [...(overtaken === 0 ? [] : [t.hadBeenChangedBySomeone(overtaken)]), ...refusals]
        .map((text) => ` ${text}`)
        .join("");
      if (what === UNDONE) {
        say(t.undoneSkipped(skipped));
      } else {
        say(`${countOf(changed.length, "link")} ${what}.${skipped}`, changed.length === 0 ? undefined : undo);
      }
      onDone();
    },
    onError: sayError,
  });
  const applyEach = (what: string, toChange: ToChange) =>
    changing.mutate({ what, links: selected, toChange });
  const apply = (what: string, change: Change) => applyEach(what, () => change);
  const exporting = useMutation({
    mutationFn: () => exportLinks(hopline, selected),
    onSuccess: (file) => saveFile("links.csv", file),
    onError: sayError,
  });
  return (
    <div className="bulk" role="region" aria-label={t.selectedLinks}>
      <strong>{t.countSelected(formatNumber(selected.length))}</strong>
      <TagPopup
        onTag={(tag, isAdded) =>
          apply(
            isAdded ? t.taggedTag(tag) : t.untaggedTag(tag),
            isAdded ? { addTags: [tag] } : { removeTags: [tag] },
          )
        }
      />
      <PopupMenu side="top" trigger={<Button icon={Folder} label={t.move} isSmall />}>
        <MenuItem label={t.noFolder} onSelect={() => apply(t.movedOutFolders, { folder: null })} />
        {folders.map(({ id, name }) => (
          <MenuItem
            key={id}
            icon={Folder}
            label={name}
            onSelect={() => apply(t.movedToName(name), { folder: id })}
          />
        ))}
      </PopupMenu>
      <PopupMenu side="top" trigger={<Button icon={Power} label={t.status} isSmall />}>
        <MenuItem icon={Power} label={t.enable} onSelect={() => apply(t.enabled, { status: "live" })} />
        <MenuItem
          icon={PowerOff}
          label={t.disable}
          onSelect={() => apply(t.disabled, { status: "disabled" })}
        />
        <MenuItem
          icon={Archive}
          label={t.archive}
          onSelect={() => apply(t.archived, { status: "archived" })}
        />
        <MenuItem
          icon={ArchiveRestore}
          label={t.unarchive}
          onSelect={() => apply(t.restored, { status: "live" })}
        />
      </PopupMenu>
      <PopupMenu
        side="top"
        // Not to the button when a dialog came, which hides it from who can't see.
        focusAfter={() => document.querySelector<HTMLElement>(".dialog input")}
        trigger={<Button icon={Ellipsis} label={shared.more} isSmall />}
      >
        <MenuItem icon={CalendarClock} label={t.expiry} onSelect={() => setOpen("expiry")} />
        <MenuItem icon={Megaphone} label={t.utm} onSelect={() => setOpen("utm")} />
        <MenuItem icon={Download} label={t.exportAsCsv} onSelect={() => exporting.mutate()} />
      </PopupMenu>
      <Button icon={Trash2} label={t.delete} isSmall isDanger onClick={() => setOpen("delete")} />
      <IconButton icon={X} label={t.clearSelection} className="spread" onClick={onDone} />
      {open === "delete" && <ConfirmDelete links={selected} onClose={close} onDeleted={onDone} />}
      {open === "expiry" && (
        <ExpiryDialog
          title={t.whenEnd(selected.length)}
          onClose={close}
          onSet={(expiresAt) => {
            close();
            apply(expiresAt === null ? t.setToHaveNoEnd : t.setToEnd, { expiresAt });
          }}
        />
      )}
      {open === "utm" && (
        <UtmDialog
          title={t.utmOf(selected.length)}
          onClose={close}
          onSet={(utm) => {
            close();
            applyEach(utm === null ? t.clearedUtm : t.taggedWithUtm, (link) => ({
              utm: utm === null ? null : { ...link.utm, ...utm },
            }));
          }}
        />
      )}
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
      title={t.changeTags}
      isOpen={isOpen}
      onOpenChange={setOpen}
      trigger={<Button icon={Tag} label={t.tag} isSmall />}
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
          aria-label={t.tag}
          placeholder={t.tag}
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
          <Button label={t.add} type="submit" kind="primary" isSmall />
          <Button label={t.remove} isSmall disabled={tag.trim() === ""} onClick={() => done(false)} />
        </div>
      </form>
    </Popup>
  );
}
