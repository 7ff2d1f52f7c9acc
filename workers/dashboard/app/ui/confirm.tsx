/** A question before something that has no way back; it closes when that is done, or does what `onSent` says. */
import type { ReactNode } from "react";
import { type Change, useSending } from "../use-sending.ts";
import { Button } from "./controls.tsx";
import { Modal } from "./modal.tsx";
import { ErrorNote } from "./notes.tsx";

type ConfirmProps<Answer> = Omit<Change<void, Answer>, "isBare"> & {
  readonly title: string;
  readonly button: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
};

export function Confirm<Answer>(props: ConfirmProps<Answer>) {
  const { title, button, onClose, children, ...change } = props;
  const sending = useSending<Answer>({ onSent: onClose, ...change });
  return (
    <Modal title={title} onClose={onClose}>
      <div>{children}</div>
      {sending.isError && <ErrorNote error={sending.error} />}
      <div className="row">
        <Button label="Cancel" kind="quiet" className="spread" onClick={onClose} />
        <Button
          label={button}
          kind="primary"
          isDanger
          disabled={sending.isPending}
          onClick={() => sending.mutate()}
        />
      </div>
    </Modal>
  );
}
