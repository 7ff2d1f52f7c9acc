/** A new workspace, which is entered at once. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { hopline } from "../caches.ts";
import { useNavigate } from "@tanstack/react-router";
import { TextField } from "../ui/controls.tsx";
import { Form, FormEnd } from "../ui/form.tsx";
import { Modal } from "../ui/modal.tsx";

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
    <Modal title="New workspace" onClose={onClose}>
      <Form values={{ name }} sending={making} onSubmit={() => making.mutate()}>
        <TextField
          label="Name"
          path="name"
          autoFocus
          hint="Links, domains, members and clicks of a workspace are its own."
          value={name}
          onChange={setName}
          required
          maxLength={200}
        />
        <FormEnd submit="Create workspace" onCancel={onClose} />
      </Form>
    </Modal>
  );
}
