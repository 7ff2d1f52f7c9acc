/** Which links exist for a member or for a person who is invited: all, or those within bounds; in words before it is so. */
import type { Member } from "@hopline/client/openapi";
import { type BoundsDraft, NO_BOUNDS, toBounds, toDraft } from "../keys/bounds-draft.ts";
import { BoundsFields } from "../keys/bounds-fields.tsx";
import { describeMember } from "../keys/describe-key.ts";
import { FormDialog } from "../ui/modal.tsx";
import { useKept } from "../ui/use-kept.ts";
import { useSending } from "../use-sending.ts";
import { t } from "./words.ts";
import { shared } from "../words.ts";

type MemberBoundsFieldsProps = {
  readonly role: Member["role"];
  readonly draft: BoundsDraft;
  readonly onChange: (bounds: BoundsDraft) => void;
};

export function isBoundable(role: Member["role"]): boolean {
  return role === "viewer" || role === "editor";
}

export function MemberBoundsFields({ role, draft, onChange }: MemberBoundsFieldsProps) {
  return (
    <>
      {isBoundable(role) && (
        <BoundsFields
          draft={draft}
          onChange={(change) => onChange({ ...draft, ...change })}
          makers={t.thoseThatTheyCreated}
        />
      )}
      <p className="small" aria-live="polite">
        {describeMember(role, toMemberBounds(role, draft))}
      </p>
    </>
  );
}

export function toMemberBounds(role: Member["role"], draft: BoundsDraft): Member["bounds"] {
  return isBoundable(role) ? toBounds(draft) : null;
}

type ChangeBoundsProps = {
  readonly workspaceId: string;
  readonly of: Member;
  readonly onClose: () => void;
};

export function ChangeBounds({ workspaceId, of: { id, name, role, bounds }, onClose }: ChangeBoundsProps) {
  const stored = bounds === null ? NO_BOUNDS : toDraft(bounds);
  const [draft, set, close] = useKept(`bounds of ${id}`, stored, onClose);
  const saving = useSending({
    send: (hopline) =>
      hopline.updateMember({ workspaceId, memberId: id, body: { bounds: toMemberBounds(role, draft) } }),
    said: t.boundsSaved(name),
    onSent: close,
    rereads: ["members"],
  });
  return (
    <FormDialog
      title={t.linksOf(name)}
      values={draft}
      sending={saving}
      submit={shared.save}
      onCancel={close}
      onClose={onClose}
    >
      <MemberBoundsFields role={role} draft={draft} onChange={set} />
    </FormDialog>
  );
}
