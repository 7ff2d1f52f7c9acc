/** When the chosen links end, and what is added to their destinations. */
import { type ReactNode, useState } from "react";
import { preferredZone } from "../preferences.ts";
import { Button } from "../ui/controls.tsx";
import { Modal } from "../ui/modal.tsx";
import { InstantField } from "./instant-field.tsx";
import { NEW_DRAFT } from "./link-draft.ts";
import { UtmSection } from "./utm-section.tsx";
import { shared } from "../words.ts";
import { t } from "./words.ts";

type DialogProps<Value> = {
  readonly title: string;
  /** `null` removes it. */
  readonly onSet: (value: Value | null) => void;
  readonly onClose: () => void;
};

export function ExpiryDialog(props: DialogProps<string>) {
  const [expiresAt, setExpiresAt] = useState<string | null>(null);
  return (
    <BulkDialog {...props} remove={t.noExpiry} value={expiresAt}>
      <InstantField
        label={t.ends}
        hint={t.timesInPreferredZone(preferredZone().replaceAll("_", " "))}
        value={expiresAt}
        onChange={setExpiresAt}
        autoFocus
      />
    </BulkDialog>
  );
}

export type UtmValues = { readonly [name: string]: string };

export function UtmDialog(props: DialogProps<UtmValues>) {
  const [draft, setDraft] = useState(NEW_DRAFT);
  const filled = Object.entries(draft.utm ?? {}).flatMap(([name, text]) =>
    text.trim() === "" ? [] : [[name, text.trim()] as const],
  );
  return (
    <BulkDialog
      {...props}
      remove={t.removeUtm}
      value={filled.length === 0 ? null : Object.fromEntries(filled)}
    >
      <p className="soft">{t.whatYouLeaveEmptyStays}</p>
      <UtmSection draft={draft} set={(change) => setDraft({ ...draft, ...change })} link={null} />
    </BulkDialog>
  );
}

type BulkDialogProps<Value> = DialogProps<Value> & {
  readonly remove: string;
  readonly value: Value | null;
  readonly children: ReactNode;
};

function BulkDialog<Value>({ title, remove, value, onSet, onClose, children }: BulkDialogProps<Value>) {
  return (
    <Modal title={title} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          onSet(value);
        }}
      >
        {children}
        <div className="row">
          <Button label={remove} className="spread" onClick={() => onSet(null)} />
          <Button label={shared.cancel} kind="quiet" onClick={onClose} />
          <Button label={shared.save} type="submit" kind="primary" disabled={value === null} />
        </div>
      </form>
    </Modal>
  );
}
