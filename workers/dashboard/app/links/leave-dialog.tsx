/** Before an edited link is left that is not saved. */
import { Button } from "../ui/controls.tsx";
import { Modal } from "../ui/modal.tsx";

type LeaveDialogProps = {
  readonly isSaving: boolean;
  readonly onSave: () => void;
  readonly onDiscard: () => void;
  readonly onStay: () => void;
};

export function LeaveDialog({ isSaving, onSave, onDiscard, onStay }: LeaveDialogProps) {
  return (
    <Modal title="Save your changes?" onClose={onStay}>
      <p>You have changed this link and not saved it.</p>
      <div className="row wrap">
        <Button label="Keep editing" kind="quiet" onClick={onStay} />
        <Button label="Discard" className="spread" isDanger onClick={onDiscard} />
        <Button label="Save and leave" kind="primary" disabled={isSaving} onClick={onSave} autoFocus />
      </div>
    </Modal>
  );
}
