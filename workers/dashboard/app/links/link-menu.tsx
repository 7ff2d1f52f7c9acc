/** What can be done with one link of the list: one menu for all rows, where it was asked for. */
import type { Link } from "@hopline/client/openapi";
import { useRouter } from "@tanstack/react-router";
import { Archive, ArchiveRestore, ChartSpline, Copy, CopyPlus, Pencil, QrCode, Trash2 } from "lucide-react";
import { useMay, useWorkspace } from "../queries.ts";
import { copy } from "../ui/copy.ts";
import { useOverlays } from "../ui/load-overlays.ts";
import { useChangingLinks } from "./use-changing-links.ts";
import { t } from "./words.ts";
import { shared } from "../words.ts";

/** A place on the screen: a button, or where the pointer was. */
export type MenuPlace = { readonly getBoundingClientRect: () => DOMRect };
export type AskedMenu = { readonly link: Link; readonly place: MenuPlace };

type LinkMenuProps = {
  readonly asked: AskedMenu;
  readonly onClose: () => void;
  readonly onDuplicate: (link: Link) => void;
  readonly onDelete: (link: Link) => void;
};

export function LinkMenu({ asked: { link, place }, onClose, onDuplicate, onDelete }: LinkMenuProps) {
  const overlays = useOverlays();
  const router = useRouter();
  const { id: workspaceId } = useWorkspace();
  const mayEdit = useMay("editor");
  const change = useChangingLinks();
  if (overlays === null) {
    return null;
  }
  const { MenuItem } = overlays;
  const go = (page: string) => void router.navigate({ href: `/w/${workspaceId}/${page}` });
  const isArchived = link.status === "archived";
  return (
    <overlays.PopupMenu isWanted label={t.actionsForSlug(link.slug)} place={place} onClose={onClose}>
      <MenuItem icon={Copy} label={shared.copy} onSelect={() => void copy(link.shortUrl)} />
      <MenuItem icon={Pencil} label={mayEdit ? t.edit : t.open} onSelect={() => go(`links/${link.id}`)} />
      <MenuItem
        icon={ChartSpline}
        label={shared.analytics}
        onSelect={() => go(`analytics?link=${link.id}`)}
      />
      <MenuItem icon={QrCode} label={shared.qrCode} onSelect={() => go(`links/${link.id}#qr-code`)} />
      {mayEdit && (
        <>
          <div className="menu-line" />
          <MenuItem icon={CopyPlus} label={t.duplicate} onSelect={() => onDuplicate(link)} />
          <MenuItem
            icon={isArchived ? ArchiveRestore : Archive}
            label={isArchived ? t.unarchive : t.archive}
            onSelect={() =>
              change({
                links: [link],
                what: isArchived ? t.restored : t.archived,
                toChange: () => ({ status: isArchived ? "live" : "archived" }),
              })
            }
          />
          <MenuItem icon={Trash2} label={t.deleteMore} onSelect={() => onDelete(link)} />
        </>
      )}
    </overlays.PopupMenu>
  );
}
