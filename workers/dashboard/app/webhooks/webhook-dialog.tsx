/** The form of a webhook in a dialog, for a new one and for one that is there. */
import type { ComponentProps } from "react";
import { FormDialog } from "../ui/modal.tsx";
import { WebhookFields, type WebhookFieldsProps } from "./webhook-form.tsx";

type WebhookDialogProps = Omit<ComponentProps<typeof FormDialog>, "values" | "children"> & WebhookFieldsProps;

export function WebhookDialog({ draft, onChange, ...dialog }: WebhookDialogProps) {
  return (
    <FormDialog isWide values={draft} isDisabled={draft.events.length === 0} {...dialog}>
      <WebhookFields draft={draft} onChange={onChange} />
    </FormDialog>
  );
}
