/** The question before a workspace or a domain is suspended, which takes a reason, or leads on. */
import type { AnyWorkspace } from "@hopline/client/openapi";
import { useState } from "react";
import { TextField } from "../ui/controls.tsx";
import { FormDialog } from "../ui/modal.tsx";
import { useSending } from "../use-sending.ts";
import { t } from "./words.ts";

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
    said: isSuspending ? t.nameIsSuspended(name) : t.nameIsResumed(name),
    rereads: ["operators"],
    onSent: onClose,
  });
  const verb = isSuspending ? t.suspend : t.resume;
  return (
    <FormDialog
      title={`${verb} ${name}?`}
      values={{ suspension: { reason } }}
      sending={sending}
      submit={t.verbKind(verb, kind)}
      isDanger={isSuspending}
      onClose={onClose}
    >
      <p>{isSuspending ? t.withinTwoSecondsLinks : t.linksRedirectAgainWithin(suspension.reason)}</p>
      {isSuspending && (
        <TextField
          label={t.reason}
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
