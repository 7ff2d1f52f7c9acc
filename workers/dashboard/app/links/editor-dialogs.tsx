/** What an edited link asks: another member has changed it meanwhile, or it is left and not saved. */
import type { Link } from "@hopline/client/openapi";
import { Differences } from "../audit/differences.tsx";
import { pick } from "../pick.ts";
import { Button } from "../ui/controls.tsx";
import { Modal } from "../ui/modal.tsx";
import { type Draft, type DraftField, toDraft } from "./link-draft.ts";
import { t } from "./editor-words.ts";

type ConflictDialogProps = {
  readonly mine: Draft;
  readonly fields: readonly DraftField[];
  readonly theirs: Link;
  readonly isSaving: boolean;
  readonly onKeepMine: () => void;
  readonly onTakeTheirs: () => void;
  readonly onClose: () => void;
};

const HIDDEN = { password: "" };

/** What both want, side by side; passwords are not shown. */
export function ConflictDialog(props: ConflictDialogProps) {
  const { mine, fields, theirs, isSaving, onKeepMine, onTakeTheirs, onClose } = props;
  return (
    <Modal title={t.someoneElseHasChanged} isWide onClose={onClose}>
      <p>{t.yourChangeWasMadeFromOlder(theirs.version)}</p>
      <Differences
        before={pick({ ...toDraft(theirs), ...HIDDEN }, fields)}
        after={pick({ ...mine, ...HIDDEN }, fields)}
        names={[t.storedNow, t.yours]}
      />
      <div className="row wrap">
        <Button label={t.discardMine} kind="quiet" className="spread" onClick={onTakeTheirs} />
        <Button label={t.overwriteWithMine} kind="primary" disabled={isSaving} onClick={onKeepMine} />
      </div>
    </Modal>
  );
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
    <Modal title={t.askSaveYourChanges} onClose={onStay}>
      <p>{t.youHaveChangedThisLink}</p>
      <div className="row wrap">
        <Button label={t.keepEditing} kind="quiet" onClick={onStay} />
        <Button label={t.discard} className="spread" isDanger onClick={onDiscard} />
        <Button label={t.saveAndLeave} kind="primary" disabled={isSaving} onClick={onSave} autoFocus />
      </div>
    </Modal>
  );
}
