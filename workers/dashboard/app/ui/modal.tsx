/** A dialog over the page: it keeps the focus, gives it back, and Escape closes it. */
import { Dialog } from "@base-ui/react/dialog";
import { type ReactNode, useState } from "react";
import { noteOpening, returnFocus } from "./modal-focus.ts";

type ModalProps = {
  readonly title: string;
  readonly onClose: () => void;
  readonly isWide?: boolean;
  readonly children: ReactNode;
};

export function Modal({ title, onClose, isWide = false, children }: ModalProps) {
  const [opening] = useState(noteOpening);
  return (
    <Dialog.Root
      open
      onOpenChange={(open) => {
        if (!open) {
          onClose();
        }
      }}
    >
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
