/** The folder of a link: one that is there, or a new one by its name. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useHopline } from "../caches.ts";
import { foldersQuery } from "../queries.ts";
import { ChoiceField } from "../ui/tokens-field.tsx";
import { sayError } from "../ui/toasts.ts";

type FolderFieldProps = {
  readonly folderId: string | null;
  readonly onChange: (folderId: string | null) => void;
};

export function FolderField({ folderId, onChange }: FolderFieldProps) {
  const hopline = useHopline();
  const queryClient = useQueryClient();
  const { data: folders = [] } = useQuery(foldersQuery);
  const making = useMutation({
    mutationFn: (name: string) => hopline.createFolder({ body: { name } }),
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries({ queryKey: ["folders"] });
      onChange(id);
    },
    onError: sayError,
  });
  return (
    <ChoiceField
      label="Folder"
      path="folder"
      placeholder="No folder"
      choices={folders.map(({ id, name }) => ({ value: id, label: name }))}
      createdBy="New folder"
      value={folderId ?? ""}
      onChange={(value) => {
        if (value === "" || folders.some(({ id }) => id === value)) {
          onChange(value === "" ? null : value);
        } else {
          making.mutate(value);
        }
      }}
    />
  );
}
