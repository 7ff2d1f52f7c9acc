/** What the chosen links are tagged with, when they end, and what is added to their destinations. */
import type { Link } from "@hopline/client/openapi";
import { type ReactNode, useState } from "react";
import { preferredZone } from "../preferences.ts";
import { Button } from "../ui/controls.tsx";
import { Modal } from "../ui/modal.tsx";
import { say } from "../ui/toasts.ts";
import type { Change } from "./change-links.ts";
import { InstantField } from "./instant-field.tsx";
import { NEW_DRAFT } from "./link-draft.ts";
import { TagsField } from "./tags-field.tsx";
import { UtmSection } from "./utm-section.tsx";
import { shared } from "../words.ts";
import { t } from "./words.ts";

type DialogProps = {
  /** Of links. */
  readonly count: number;
  /** `what`: what is done to the links. */
  readonly onApply: (what: string, toChange: (link: Link) => Change) => unknown;
  readonly onClose: () => void;
};

export function TagsDialog({ count, onApply, onClose }: DialogProps) {
  const [tags, setTags] = useState<string[]>([]);
  const names = tags.join(", ");
  return (
    <BulkDialog
      title={t.tagsOf(count)}
      set={{ label: t.add, what: t.taggedTag(names), toChange: () => ({ addTags: tags }) }}
      remove={{ label: t.remove, what: t.untaggedTag(names), toChange: () => ({ removeTags: tags }) }}
      // Leaving the field makes a tag of what is typed: a button that is off until then would miss the press.
      onApply={(...change) => (tags.length === 0 ? say(t.chooseTagFirst) : onApply(...change))}
      onClose={onClose}
    >
      <TagsField tags={tags} onChange={(chosen) => setTags([...chosen])} />
    </BulkDialog>
  );
}

export function ExpiryDialog({ count, ...props }: DialogProps) {
  const [expiresAt, setExpiresAt] = useState<string | null>(null);
  return (
    <BulkDialog
      {...props}
      title={t.whenEnd(count)}
      set={{ isOff: expiresAt === null, what: t.setToEnd, toChange: () => ({ expiresAt }) }}
      remove={{ label: t.noExpiry, what: t.setToHaveNoEnd, toChange: () => ({ expiresAt: null }) }}
    >
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

export function UtmDialog({ count, ...props }: DialogProps) {
  const [draft, setDraft] = useState(NEW_DRAFT);
  const texts = Object.entries(draft.utm ?? {}).map(([name, text]) => [name, text.trim()] as const);
  const filled = texts.filter(([, text]) => text !== "");
  const utm = Object.fromEntries(filled);
  return (
    <BulkDialog
      {...props}
      title={t.utmOf(count)}
      set={{
        isOff: filled.length === 0,
        what: t.taggedWithUtm,
        toChange: (link) => ({ utm: { ...link.utm, ...utm } }),
      }}
      remove={{ label: t.removeUtm, what: t.clearedUtm, toChange: () => ({ utm: null }) }}
    >
      <p className="soft">{t.whatYouLeaveEmptyStays}</p>
      <UtmSection draft={draft} set={(change) => setDraft({ ...draft, ...change })} link={null} />
    </BulkDialog>
  );
}

type Act = {
  readonly label?: string;
  /** There is nothing to do yet. */
  readonly isOff?: boolean;
  readonly what: string;
  readonly toChange: (link: Link) => Change;
};

type BulkDialogProps = Omit<DialogProps, "count"> & {
  readonly title: string;
  readonly set: Act;
  readonly remove: Act;
  readonly children: ReactNode;
};

function BulkDialog({ title, set, remove, onApply, onClose, children }: BulkDialogProps) {
  return (
    <Modal title={title} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          onApply(set.what, set.toChange);
        }}
      >
        {children}
        <div className="row">
          <Button
            label={remove.label}
            className="spread"
            onClick={() => onApply(remove.what, remove.toChange)}
          />
          <Button label={shared.cancel} kind="quiet" onClick={onClose} />
          <Button label={set.label ?? shared.save} type="submit" kind="primary" disabled={set.isOff} />
        </div>
      </form>
    </Modal>
  );
}
