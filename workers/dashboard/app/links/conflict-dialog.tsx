/** Another member has changed the link meanwhile: what both want, side by side. */
import type { Link } from "@hopline/client/openapi";
import { Button } from "../ui/controls.tsx";
import { Modal } from "../ui/modal.tsx";
import { differences, type Draft, type DraftField, FIELD_NAMES, toDraft } from "./link-draft.ts";

type ConflictDialogProps = {
  readonly mine: Draft;
  readonly fields: readonly DraftField[];
  readonly theirs: Link;
  readonly isSaving: boolean;
  readonly onKeepMine: () => void;
  readonly onTakeTheirs: () => void;
  readonly onClose: () => void;
};

export function ConflictDialog({
  mine,
  fields,
  theirs,
  isSaving,
  onKeepMine,
  onTakeTheirs,
  onClose,
}: ConflictDialogProps) {
  return (
    <Modal title="Someone else has changed this link" isOpen isWide onClose={onClose}>
      <p>
        Your change was made from an older version and has not been saved. Version {theirs.version} is stored
        now. Fields that you have not touched stay as they are there.
      </p>
      <div className="scroll-x">
        <table className="plain-table">
          <thead>
            <tr>
              <th>Field</th>
              <th>Yours</th>
              <th>Stored now</th>
            </tr>
          </thead>
          <tbody>
            {differences(mine, fields, toDraft(theirs)).map(({ field, mine: yours, theirs: stored }) => (
              <tr key={field}>
                <td>{FIELD_NAMES[field]}</td>
                <td className="difference mine">{yours}</td>
                <td className="difference">{yours === stored ? "the same" : stored}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="row wrap">
        <Button kind="quiet" className="spread" onClick={onTakeTheirs}>
          Discard mine
        </Button>
        <Button kind="primary" disabled={isSaving} onClick={onKeepMine}>
          Overwrite with mine
        </Button>
      </div>
    </Modal>
  );
}
