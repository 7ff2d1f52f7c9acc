/** A new workspace, which is entered at once. */
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { fieldsOf, TextField } from "../ui/controls.tsx";
import { FormDialog } from "../ui/modal.tsx";
import { useSending } from "../use-sending.ts";
import { t } from "./words.ts";
import { shared } from "../words.ts";

export function NewWorkspace({ onClose }: { readonly onClose: () => void }) {
  const [draft, setDraft] = useState({ name: "" });
  const navigate = useNavigate();
  const making = useSending({
    send: (hopline) => hopline.createWorkspace({ body: draft }),
    onSent: ({ id }) => {
      onClose();
      return navigate({ to: "/w/$workspaceId/links", params: { workspaceId: id } });
    },
  });
  const dialog = { values: draft, sending: making, onClose };
  return (
    <FormDialog title={t.newWorkspace} submit={t.createWorkspace} {...dialog}>
      <TextField
        label={shared.name}
        {...fieldsOf(draft, (change) => setDraft({ ...draft, ...change }))("name")}
        autoFocus
        hint={t.eachWorkspaceHasOwnLinks}
        required
        maxLength={200}
      />
    </FormDialog>
  );
}
