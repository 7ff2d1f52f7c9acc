/** What can be done with the chosen links, all at once. */
import type { Link } from "@hopline/client/openapi";
import { useQuery } from "@tanstack/react-query";
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
import { formatNumber } from "../format.ts";
import { foldersQuery } from "../queries.ts";
import { Button, IconButton } from "../ui/controls.tsx";
import { MenuItem, PopupMenu } from "../ui/popup-menu.tsx";
import { saveFile } from "../ui/save-file.ts";
import { useSending } from "../use-sending.ts";
import { ExpiryDialog, TagsDialog, UtmDialog } from "./bulk-dialogs.tsx";
import { type Change, exportLinks } from "./change-links.ts";
import { ConfirmDelete } from "./confirm-delete.tsx";
import { useChangingLinks } from "./use-changing-links.ts";
import { t } from "./words.ts";
import { shared } from "../words.ts";

type BulkBarProps = { readonly selected: readonly Link[]; readonly onDone: () => void };

const STATUS_CHANGES = [
  { icon: Power, label: t.enable, what: t.enabled, status: "live" },
  { icon: PowerOff, label: t.disable, what: t.disabled, status: "disabled" },
  { icon: Archive, label: t.archive, what: t.archived, status: "archived" },
  { icon: ArchiveRestore, label: t.unarchive, what: t.restored, status: "live" },
] as const;

export function BulkBar({ selected, onDone }: BulkBarProps) {
  const { data: folders = [] } = useQuery(foldersQuery);
  const [open, setOpen] = useState<"tags" | "delete" | "expiry" | "utm" | null>(null);
  const change = useChangingLinks(onDone);
  const apply = (what: string, toChange: (link: Link) => Change) => {
    setOpen(null);
    change({ links: selected, what, toChange });
  };
  const exporting = useSending({
    send: (hopline) => exportLinks(hopline, selected),
    onSent: (file) => saveFile("links.csv", file),
    isBare: true,
  });
  const dialog = { count: selected.length, onApply: apply, onClose: () => setOpen(null) };
  return (
    <div className="bulk" role="region" aria-label={t.selectedLinks}>
      <strong>{t.countSelected(formatNumber(selected.length))}</strong>
      <Button icon={Tag} label={t.tag} isSmall onClick={() => setOpen("tags")} />
      <PopupMenu side="top" trigger={<Button icon={Folder} label={t.move} isSmall />}>
        <MenuItem label={t.noFolder} onSelect={() => apply(t.movedOutFolders, () => ({ folder: null }))} />
        {folders.map(({ id, name }) => (
          <MenuItem
            key={id}
            icon={Folder}
            label={name}
            onSelect={() => apply(t.movedToName(name), () => ({ folder: id }))}
          />
        ))}
      </PopupMenu>
      <PopupMenu side="top" trigger={<Button icon={Power} label={t.status} isSmall />}>
        {STATUS_CHANGES.map(({ what, status, ...item }) => (
          <MenuItem key={what} {...item} onSelect={() => apply(what, () => ({ status }))} />
        ))}
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
      {open === "tags" && <TagsDialog {...dialog} />}
      {open === "expiry" && <ExpiryDialog {...dialog} />}
      {open === "utm" && <UtmDialog {...dialog} />}
      {open === "delete" && <ConfirmDelete links={selected} onClose={dialog.onClose} onDeleted={onDone} />}
    </div>
  );
}
