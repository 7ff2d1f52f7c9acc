/** The question before a workspace or a domain is suspended, which takes a reason, or leads on. */
import type { AnyWorkspace } from "@hopline/client/openapi";
import { useState } from "react";
import { TextField } from "../ui/controls.tsx";
import { FormDialog } from "../ui/modal.tsx";
import { useSending } from "../use-sending.ts";

export type Suspended = Pick<AnyWorkspace, "id" | "name" | "suspension"> & {
  readonly kind: "workspace" | "domain";
};

type SuspendDialogProps = { readonly target: Suspended; readonly onClose: () => void };

export function SuspendDialog({ target: { kind, id, name, suspension }, onClose }: SuspendDialogProps) {
  const [reason, setReason] = useState("");
  const isSuspending = suspension === null;
  const body = { suspension: isSuspending ? { reason } : null };
  const sending = useSending({
    send: (own) =>
      kind === "workspace"
        ? own.suspendWorkspace({ workspaceId: id, body })
        : own.suspendDomain({ domainId: id, body }),
    said: isSuspending ? `${name} is suspended.` : `${name} is resumed.`,
    rereads: ["operators"],
    onSent: onClose,
  });
  const verb = isSuspending ? "Suspend" : "Resume";
  return (
    <FormDialog
      title={`${verb} ${name}?`}
      values={{ suspension: { reason } }}
      sending={sending}
      submit={`${verb} the ${kind}`}
      isDanger={isSuspending}
      onClose={onClose}
    >
      <p>
        {isSuspending
          ? "Within two seconds its links answer a page that says so. Nothing is deleted, and you can resume it."
          : `Its links redirect again within two seconds. It was suspended for: ${suspension.reason}`}
      </p>
      {isSuspending && (
        <TextField
          label="Reason"
          path="suspension.reason"
          value={reason}
          onChange={setReason}
          required
          autoFocus
        />
      )}
    </FormDialog>
  );
}
