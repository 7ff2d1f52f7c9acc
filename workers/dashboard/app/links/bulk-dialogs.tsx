/** When the chosen links end, and what is added to their destinations. */
import { type ReactNode, useState } from "react";
import { usePreferences } from "../preferences.ts";
import { Button, TextField } from "../ui/controls.tsx";
import { Modal } from "../ui/modal.tsx";
import { UTM_FIELDS } from "./utm-section.tsx";
import { fromWallTime } from "./wall-time.ts";

type DialogProps<Value> = {
  readonly title: string;
  /** `null` removes it. */
  readonly onSet: (value: Value | null) => void;
  readonly onClose: () => void;
};

export function ExpiryDialog({ title, onSet, onClose }: DialogProps<string>) {
  const { timeZone } = usePreferences();
  const [text, setText] = useState("");
  const expiresAt = fromWallTime(text, timeZone);
  return (
    <BulkDialog
      title={title}
      remove="No expiry"
      isSet={expiresAt !== null}
      onSet={() => onSet(expiresAt)}
      onRemove={() => onSet(null)}
      onClose={onClose}
    >
      <TextField
        label="Ends"
        hint={`Times in ${timeZone.replaceAll("_", " ")}`}
        type="datetime-local"
        value={text}
        onChange={setText}
        autoFocus
      />
    </BulkDialog>
  );
}

export type UtmValues = { readonly [name in (typeof UTM_FIELDS)[number]["name"]]?: string };

export function UtmDialog({ title, onSet, onClose }: DialogProps<UtmValues>) {
  const [values, setValues] = useState<UtmValues>({});
  const filled = Object.fromEntries(
    Object.entries(values).flatMap(([name, text]) => (text.trim() === "" ? [] : [[name, text.trim()]])),
  );
  return (
    <BulkDialog
      title={title}
      remove="Remove UTM"
      isSet={Object.keys(filled).length > 0}
      onSet={() => onSet(filled)}
      onRemove={() => onSet(null)}
      onClose={onClose}
    >
      <p className="soft">Added to the destinations. What you leave empty stays as each link has it.</p>
      {UTM_FIELDS.map(({ name, label, placeholder }, index) => (
        <TextField
          key={name}
          label={label}
          placeholder={placeholder}
          maxLength={200}
          value={values[name] ?? ""}
          onChange={(text) => setValues((before) => ({ ...before, [name]: text }))}
          autoFocus={index === 0}
        />
      ))}
    </BulkDialog>
  );
}

type BulkDialogProps = {
  readonly title: string;
  readonly remove: string;
  readonly isSet: boolean;
  readonly onSet: () => void;
  readonly onRemove: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
};

function BulkDialog({ title, remove, isSet, onSet, onRemove, onClose, children }: BulkDialogProps) {
  return (
    <Modal title={title} isOpen onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          onSet();
        }}
      >
        {children}
        <div className="row">
          <Button className="spread" onClick={onRemove}>
            {remove}
          </Button>
          <Button kind="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" kind="primary" disabled={!isSet}>
            Save
          </Button>
        </div>
      </form>
    </Modal>
  );
}
