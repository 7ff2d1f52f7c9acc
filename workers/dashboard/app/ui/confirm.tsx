/** A question before something that has no way back. */
import type { ReactNode } from "react";
import { Button } from "./controls.tsx";
import { Modal } from "./modal.tsx";
import { ErrorNote } from "./notes.tsx";

type ConfirmProps = {
  readonly title: string;
  readonly button: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly doing: { readonly isPending: boolean; readonly error: unknown };
  readonly children: ReactNode;
};

export function Confirm({ title, button, onConfirm, onClose, doing, children }: ConfirmProps) {
  return (
    <Modal title={title} onClose={onClose}>
      <div>{children}</div>
      {doing.error !== null && <ErrorNote error={doing.error} />}
      <div className="row">
        <Button kind="quiet" className="spread" onClick={onClose}>
          Cancel
        </Button>
        <Button kind="primary" isDanger disabled={doing.isPending} onClick={onConfirm}>
          {button}
        </Button>
      </div>
    </Modal>
  );
}
