/** A form in a dialog of its own. */
import type { ComponentProps } from "react";
import { Form, FormEnd, type Sending } from "./form.tsx";
import { Modal } from "./modal.tsx";

type FormDialogProps = ComponentProps<typeof Modal> &
  ComponentProps<typeof FormEnd> & {
    readonly values: object;
    readonly sending: Sending & { readonly mutate: () => void };
  };

/** `onCancel`: by its button, where that is more than closing it. */
export function FormDialog(props: FormDialogProps) {
  const { title, isWide = false, values, sending, onClose, children, ...end } = props;
  return (
    <Modal title={title} isWide={isWide} onClose={onClose}>
      <Form values={values} sending={sending} onSubmit={() => sending.mutate()}>
        {children}
        <FormEnd onCancel={onClose} {...end} />
      </Form>
    </Modal>
  );
}
