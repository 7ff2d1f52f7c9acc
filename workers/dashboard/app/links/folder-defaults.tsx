/** What a folder says of new links in it. */
import type { Folder } from "@hopline/client/openapi";
import { Modal } from "../ui/modal.tsx";
import { useSending } from "../use-sending.ts";
import { DefaultsForm } from "./defaults-fields.tsx";
import { t } from "./editor-words.ts";

type FolderDefaultsProps = { readonly folder: Folder; readonly onClose: () => void };

export function FolderDefaults({ folder: { id, name, defaults }, onClose }: FolderDefaultsProps) {
  const saving = useSending({
    send: (hopline, wanted: typeof defaults) =>
      hopline.updateFolder({ folderId: id, body: { defaults: wanted } }),
    said: t.defaultsSaved(name),
    rereads: ["folders"],
    onSent: onClose,
  });
  return (
    <Modal title={t.newLinksIn(name)} onClose={onClose}>
      <DefaultsForm name={id} stored={defaults} sending={saving} onCancel={onClose} />
    </Modal>
  );
}
