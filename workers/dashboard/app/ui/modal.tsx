/** Dialogs over the page: any, a question, a form, a secret. They keep the focus, give it back, and Escape closes them. */
import { Dialog } from "@base-ui/react/dialog";
import { Copy } from "lucide-react";
import { type ComponentProps, type ReactNode, useState } from "react";
import { type Change, useSending } from "../use-sending.ts";
import { Button } from "./controls.tsx";
import { copy } from "./copy.ts";
import type { Sending } from "./form-context.tsx";
import { Form, FormEnd } from "./form.tsx";
import { noteOpening, returnFocus } from "./modal-focus.ts";
import { Note } from "./page.tsx";
import { t } from "./words.ts";
import { shared } from "../words.ts";

type ModalProps = {
  readonly title: string;
  readonly onClose: () => void;
  readonly isWide?: boolean;
  readonly children: ReactNode;
};

export function Modal({ title, onClose, isWide = false, children }: ModalProps) {
  const [opening] = useState(noteOpening);
  return (
    <Dialog.Root open onOpenChange={(open) => open || onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className={isWide ? "dialog wide" : "dialog"} finalFocus={() => returnFocus(opening)}>
          <div className="stack">
            <Dialog.Title className="dialog-title">{title}</Dialog.Title>
            {children}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

type ConfirmProps<Answer> = Omit<Change<void, Answer>, "isBare"> & {
  readonly title: string;
  readonly button: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
};

/** A question before something that has no way back; it closes when that is done, or does what `onSent` says. */
export function Confirm<Answer>(props: ConfirmProps<Answer>) {
  const { title, button, onClose, children, ...change } = props;
  const sending = useSending<Answer>({ onSent: onClose, ...change });
  return (
    <FormDialog title={title} values={{}} sending={sending} submit={button} isDanger onClose={onClose}>
      <div>{children}</div>
    </FormDialog>
  );
}

type FormDialogProps = ComponentProps<typeof Modal> &
  ComponentProps<typeof FormEnd> & {
    readonly values: object;
    readonly sending: Sending & { readonly mutate: () => void };
  };

/** `onCancel`: what its button does before it closes. */
export function FormDialog(props: FormDialogProps) {
  const { title, isWide = false, values, sending, onClose, onCancel, children, ...end } = props;
  const cancel = () => {
    onCancel?.();
    onClose();
  };
  return (
    <Modal title={title} isWide={isWide} onClose={onClose}>
      <Form values={values} sending={sending} onSubmit={() => sending.mutate()}>
        {children}
        <FormEnd {...end} onCancel={cancel} />
      </Form>
    </Modal>
  );
}

type SecretDialogProps = {
  readonly title: string;
  /** `the key`: what the secret is called in sentences. */
  readonly name: string;
  readonly secret: string;
  /** Where to keep it. */
  readonly advice: string;
  readonly onClose: () => void;
  readonly children?: ReactNode;
};

/** The one time that a secret is shown: a key, or what a webhook's messages are signed with. */
export function SecretDialog({ title, name, secret, advice, onClose, children }: SecretDialogProps) {
  return (
    <Modal title={title} onClose={onClose}>
      <Note kind="warn">{t.thisIsOnlyTimeThatIsShown(name, advice)}</Note>
      <p className="made-link secret mono">{secret}</p>
      {children}
      <div className="row">
        <Button
          icon={Copy}
          label={shared.copy}
          kind="primary"
          onClick={() => void copy(secret, name)}
          autoFocus
        />
        <Button label={shared.done} kind="quiet" className="spread" onClick={onClose} />
      </div>
    </Modal>
  );
}
