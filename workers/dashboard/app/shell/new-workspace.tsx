/** A new workspace, which is entered at once. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { hopline } from "../caches.ts";
import { useNavigate } from "@tanstack/react-router";
import { Button, TextField } from "../ui/controls.tsx";
import { Modal } from "../ui/modal.tsx";
import { ErrorNote } from "../ui/notes.tsx";

export function NewWorkspace({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState("");
  const navigate = useNavigate();
  const making = useMutation({
    mutationFn: () => hopline.createWorkspace({ body: { name } }),
    onSuccess: async ({ id }) => {
      onClose();
      await navigate({ to: "/w/$workspaceId/links", params: { workspaceId: id } });
    },
  });
  return (
    <Modal title="New workspace" isOpen onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          making.mutate();
        }}
      >
        <TextField
          label="Name"
          hint="Links, domains, members and clicks of a workspace are its own."
          value={name}
          onChange={setName}
          required
          maxLength={200}
        />
        {making.isError && <ErrorNote error={making.error} />}
        <div className="row">
          <Button className="spread" kind="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button kind="primary" type="submit" disabled={making.isPending}>
            Create workspace
          </Button>
        </div>
      </form>
    </Modal>
  );
}
