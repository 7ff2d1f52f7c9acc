/** What an edited link asks: another member has changed it meanwhile, or it is left and not saved. */
import type { Link } from "@hopline/client/openapi";
import { Differences } from "../audit/differences.tsx";
import { Button } from "../ui/controls.tsx";
import { Modal } from "../ui/modal.tsx";
import { type Draft, type DraftField, toDraft } from "./link-draft.ts";

type ConflictDialogProps = {
  readonly mine: Draft;
  readonly fields: readonly DraftField[];
  readonly theirs: Link;
  readonly isSaving: boolean;
  readonly onKeepMine: () => void;
  readonly onTakeTheirs: () => void;
  readonly onClose: () => void;
};

/** What both want, side by side. */
export function ConflictDialog(props: ConflictDialogProps) {
  const { mine, fields, theirs, isSaving, onKeepMine, onTakeTheirs, onClose } = props;
  return (
    <Modal title="Someone else has changed this link" isWide onClose={onClose}>
      <p>
        Your change was made from an older version and has not been saved. Version {theirs.version} is stored
        now. Fields that you have not touched stay as they are there.
      </p>
      <Differences
        before={only(toDraft(theirs), fields)}
        after={only(mine, fields)}
        names={["Stored now", "Yours"]}
      />
      <div className="row wrap">
        <Button label="Discard mine" kind="quiet" className="spread" onClick={onTakeTheirs} />
        <Button label="Overwrite with mine" kind="primary" disabled={isSaving} onClick={onKeepMine} />
      </div>
    </Modal>
  );
}

/** What is edited; passwords are not shown. */
function only(draft: Draft, fields: readonly DraftField[]) {
  return Object.fromEntries(fields.map((field) => [field, field === "password" ? "" : draft[field]]));
}

type LeaveDialogProps = {
  readonly isSaving: boolean;
  readonly onSave: () => void;
  readonly onDiscard: () => void;
  readonly onStay: () => void;
};

/** Before an edited link is left that is not saved. */
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
