/** The folder of a link: one that is there, or a new one by its name. */
import { useQuery } from "@tanstack/react-query";
import { foldersQuery } from "../queries.ts";
import { ChoiceField } from "../ui/tokens-field.tsx";
import { useSending } from "../use-sending.ts";
import { t } from "./editor-words.ts";

type FolderFieldProps = {
  readonly folderId: string | null;
  readonly onChange: (folderId: string | null) => void;
};

export function FolderField({ folderId, onChange }: FolderFieldProps) {
  const { data: folders = [] } = useQuery(foldersQuery);
  const making = useSending({
    send: (hopline, name: string) => hopline.createFolder({ body: { name } }),
    rereads: ["folders"],
    isBare: true,
  });
  return (
    <ChoiceField
      label={t.folder}
      path="folder"
      placeholder={t.noFolder}
      choices={folders.map(({ id, name }) => ({ value: id, label: name }))}
      createdBy={t.newFolder}
      value={folderId ?? ""}
      onChange={(value) => {
        if (value === "" || folders.some(({ id }) => id === value)) {
          onChange(value === "" ? null : value);
        } else {
          // Once its name is known here.
          making.mutate(value, { onSuccess: ({ id }) => onChange(id) });
        }
      }}
    />
  );
}
