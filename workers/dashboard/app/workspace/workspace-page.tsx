/** The workspace: its name, who is in it, who is invited, and its end. */
import type { Member } from "@hopline/client/openapi";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { ListFilter, MailPlus, UserMinus, X } from "lucide-react";
import { useState } from "react";
import { ownCache, useHopline } from "../caches.ts";
import { formatDate } from "../format.ts";
import {
  askAll,
  membersQuery,
  useMay,
  useMe,
  useWorkspace,
  signInOptionsQuery,
  workspacesQuery,
} from "../queries.ts";
import { type BoundsDraft, NO_BOUNDS } from "../keys/bounds-draft.ts";
import { describeMember } from "../keys/describe-key.ts";
import { DefaultsForm } from "../links/defaults-fields.tsx";
import { Button, fieldsOf, IconButton, Select, SelectField, TextField } from "../ui/controls.tsx";
import { Form, FormEnd } from "../ui/form.tsx";
import { Confirm, FormDialog } from "../ui/modal.tsx";
import { Note, PageHead, Waiting } from "../ui/page.tsx";
import { say } from "../ui/toasts.ts";
import { useKept } from "../ui/use-kept.ts";
import { useSending } from "../use-sending.ts";
import { ChangeBounds, isBoundable, MemberBoundsFields, toMemberBounds } from "./member-bounds.tsx";
import { ABOUT_ROLES, t } from "./words.ts";
import { shared } from "../words.ts";

const ROLES = ["viewer", "editor", "admin", "owner"] as const;

const rolesFor = (isOwner: boolean) => ROLES.filter((role) => isOwner || role !== "owner");

export function WorkspacePage() {
  const { id: workspaceId, bounds } = useWorkspace();
  return (
    <main className="page narrow">
      <PageHead title={shared.workspace} />
      <NameCard workspaceId={workspaceId} />
      {bounds === null ? <MembersCard workspaceId={workspaceId} /> : <OwnBounds />}
      <InvitationsCard workspaceId={workspaceId} />
      <DefaultsCard workspaceId={workspaceId} />
      <EndCard workspaceId={workspaceId} />
    </main>
  );
}

type Part = { readonly workspaceId: string };

function NameCard({ workspaceId }: Part) {
  const mayManage = useMay("admin");
  const { name: current } = useWorkspace();
  const [name, setName] = useState(current);
  const saving = useSending({
    send: (hopline) => hopline.updateWorkspace({ workspaceId, body: { name } }),
    said: t.nameSaved,
    onSent: () => ownCache.invalidateQueries(workspacesQuery),
  });
  return (
    <section className="card">
      <Form values={{ name }} sending={saving} onSubmit={() => saving.mutate()}>
        <TextField
          label={shared.name}
          value={name}
          onChange={setName}
          path="name"
          disabled={!mayManage}
          required
          maxLength={200}
        />
        {mayManage && <FormEnd submit={t.saveName} isDisabled={name === current} />}
      </Form>
    </section>
  );
}

function DefaultsCard({ workspaceId }: Part) {
  const mayManage = useMay("admin");
  const { defaults } = useWorkspace();
  const saving = useSending({
    send: (hopline, wanted: typeof defaults) =>
      hopline.updateWorkspace({ workspaceId, body: { defaults: wanted } }),
    said: t.defaultsSaved,
    onSent: () => ownCache.invalidateQueries(workspacesQuery),
  });
  return mayManage ? (
    <section className="card stack" aria-label={t.defaultsNewLinks}>
      <h2>{t.defaultsNewLinks}</h2>
      <DefaultsForm name={workspaceId} stored={defaults} sending={saving} />
    </section>
  ) : null;
}

/** Those with bounds are not told who else is there. */
function OwnBounds() {
  const { role, bounds } = useWorkspace();
  return (
    <section className="card stack">
      <h2>{t.whatYouMayDo}</h2>
      <p>{role !== null && describeMember(role, bounds, true)}</p>
    </section>
  );
}

function MembersCard({ workspaceId }: Part) {
  const me = useMe();
  const mayManage = useMay("admin");
  const isOwner = useMay("owner");
  const [removed, setRemoved] = useState<Member | null>(null);
  const [bounded, setBounded] = useState<Member | null>(null);
  const members = useQuery(membersQuery(workspaceId));
  const changing = useSending({
    send: (hopline, { id, role }: Pick<Member, "id" | "role">) =>
      hopline.updateMember({
        workspaceId,
        memberId: id,
        // An admin may do everything.
        body: isBoundable(role) ? { role } : { role, bounds: null },
      }),
    rereads: ["members"],
    isBare: true,
  });
  return (
    <section className="card stack">
      <h2>{t.members}</h2>
      <Waiting query={members} />
      <ul className="stack tight">
        {members.data?.map((member) => {
          const { id, name, email, role, bounds, createdAt, personId } = member;
          const mayChange = mayManage && (isOwner || role !== "owner") && personId !== me.id;
          return (
            <li key={id} className="row wrap">
              <span className="account-mark" aria-hidden>
                {name.charAt(0).toUpperCase()}
              </span>
              <span className="account-name">
                <span>
                  {name} {personId === me.id && <span className="soft">{t.you}</span>}
                </span>
                <span className="small soft">{t.emailSinceCreatedAt(email, formatDate(createdAt))}</span>
                {bounds !== null && <span className="small soft">{describeMember(role, bounds)}</span>}
              </span>
              <span className="row spread">
                {mayChange ? (
                  <>
                    <Select
                      aria-label={t.roleName(name)}
                      className="input class-choice"
                      value={role}
                      onChange={(chosen) => changing.mutate({ id, role: chosen })}
                      choices={rolesFor(isOwner).map((one) => ({ value: one, label: one }))}
                    />
                    {isBoundable(role) && (
                      <IconButton
                        icon={ListFilter}
                        label={t.chooseLinksOf(name)}
                        onClick={() => setBounded(member)}
                      />
                    )}
                    <IconButton
                      icon={UserMinus}
                      label={t.removeName(name)}
                      isDanger
                      onClick={() => setRemoved(member)}
                    />
                  </>
                ) : (
                  <span className="chip">{role}</span>
                )}
              </span>
            </li>
          );
        })}
      </ul>
      {bounded !== null && (
        <ChangeBounds workspaceId={workspaceId} of={bounded} onClose={() => setBounded(null)} />
      )}
      {removed !== null && (
        <Confirm
          title={t.askRemoveRemoved(removed.name)}
          button={t.removeFromWorkspace}
          send={(hopline) => hopline.deleteMember({ workspaceId, memberId: removed.id })}
          rereads={["members"]}
          onClose={() => setRemoved(null)}
        >
          {t.theyLoseAccessAtOnce}
        </Confirm>
      )}
    </section>
  );
}

function InvitationsCard({ workspaceId }: Part) {
  const mayManage = useMay("admin");
  const hasEmail = useQuery(signInOptionsQuery, ownCache).data?.email !== false;
  const [isInviting, setInviting] = useState(false);
  const invitations = useQuery({
    ...askAll(["invitations", workspaceId], (own) => own.listInvitations({ workspaceId, limit: 100 })),
    enabled: mayManage,
  });
  const resending = useSending({
    // Inviting an address again starts its days over.
    send: (hopline, body: InvitedAgain) => hopline.createInvitation({ workspaceId, body }),
    said: ({ email }) => t.anotherEmailIsOnWayTo(email),
    rereads: ["invitations"],
    isBare: true,
  });
  const cancelling = useSending({
    send: (hopline, invitationId: string) => hopline.deleteInvitation({ workspaceId, invitationId }),
    rereads: ["invitations"],
    isBare: true,
  });
  return mayManage ? (
    <section className="card stack">
      <div className="row">
        <h2>{t.invitations}</h2>
        {hasEmail && (
          <Button
            icon={MailPlus}
            label={t.inviteColleagues}
            isSmall
            className="spread"
            onClick={() => setInviting(true)}
          />
        )}
      </div>
      {!hasEmail && <Note>{t.thisDeploymentSends}</Note>}
      <Waiting query={invitations} lines={2} />
      {hasEmail && invitations.data?.length === 0 && <p className="soft">{t.noOpenInvitations}</p>}
      <ul className="stack tight">
        {invitations.data?.map(({ id, email, role, bounds, expiresAt }) => (
          <li key={id} className="row wrap">
            <span>{email}</span>
            <span className="soft small">{t.asRoleUntilExpiresAt(role, formatDate(expiresAt))}</span>
            {bounds !== null && <span className="soft small">{describeMember(role, bounds)}</span>}
            <span className="row spread">
              <Button
                label={t.sendAgain}
                isSmall
                aria-label={t.sendAgainTo(email)}
                disabled={resending.isPending}
                onClick={() => resending.mutate({ email, role, bounds })}
              />
              <IconButton icon={X} label={t.cancelInvitation(email)} onClick={() => cancelling.mutate(id)} />
            </span>
          </li>
        ))}
      </ul>
      {isInviting && <Invite workspaceId={workspaceId} onClose={() => setInviting(false)} />}
    </section>
  ) : null;
}

type InvitedAgain = Pick<Member, "email" | "role" | "bounds">;

type Invitation = Pick<Member, "email" | "role"> & { readonly bounds: BoundsDraft };

const NOBODY: Invitation = { email: "", role: "editor", bounds: NO_BOUNDS };

function Invite({ workspaceId, onClose }: Part & { readonly onClose: () => void }) {
  const hopline = useHopline();
  const queryClient = useQueryClient();
  const isOwner = useMay("owner");
  const [draft, set, forget] = useKept<Invitation>("invitation", NOBODY);
  const field = fieldsOf(draft, set);
  const inviting = useMutation({
    mutationFn: async () => {
      const { role } = draft;
      const bounds = toMemberBounds(role, draft.bounds);
      const emails = [...new Set(draft.email.split(/[\s,;]+/).filter((email) => email !== ""))];
      for (const [index, email] of emails.entries()) {
        await hopline.createInvitation({ workspaceId, body: { email, role, bounds } });
        // What is refused is left in the field, and those behind it.
        set({ email: emails.slice(index + 1).join(", ") });
      }
      return emails;
    },
    onSuccess: (emails) => {
      forget();
      onClose();
      say(t.emailsAreOnWayTo(emails.length, emails.join(", ")));
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["invitations"] }),
  });
  const dialog = { values: draft, sending: inviting, onCancel: forget, onClose };
  return (
    <FormDialog title={t.inviteColleagues} submit={t.sendInvitations} {...dialog}>
      <TextField
        label={t.emailAddresses}
        hint={t.severalWithCommaOrSpace}
        inputMode="email"
        autoCapitalize="off"
        {...field("email")}
        required
        autoFocus
      />
      <SelectField
        label={t.role}
        {...field("role")}
        choices={rolesFor(isOwner).map((one) => ({ value: one, label: `${one}: ${ABOUT_ROLES[one]}` }))}
      />
      <MemberBoundsFields role={draft.role} draft={draft.bounds} onChange={(bounds) => set({ bounds })} />
    </FormDialog>
  );
}

function EndCard({ workspaceId }: Part) {
  const navigate = useNavigate();
  const isOwner = useMay("owner");
  const { name: expected } = useWorkspace();
  const [asked, setAsked] = useState<"leave" | "delete" | null>(null);
  const [name, setName] = useState("");
  const onSent = async () => {
    setAsked(null);
    await ownCache.fetchQuery({ ...workspacesQuery, staleTime: 0 });
    await navigate({ to: "/" });
  };
  return (
    <section className="card stack">
      <h2>{t.leaveOrDelete}</h2>
      <div className="row wrap">
        <Button label={t.leaveThisWorkspace} isDanger onClick={() => setAsked("leave")} />
        {isOwner && <Button label={t.deleteThisWorkspace} isDanger onClick={() => setAsked("delete")} />}
      </div>
      {asked === "leave" && (
        <Confirm
          title={t.askLeaveExpected(expected)}
          button={t.leave}
          send={(hopline) => hopline.leaveWorkspace({ workspaceId })}
          onSent={onSent}
          onClose={() => setAsked(null)}
        >
          {t.toComeBackYouNeedAnother}
        </Confirm>
      )}
      {asked === "delete" && (
        <Confirm
          title={t.askDeleteExpected(expected)}
          button={t.deleteEverything}
          send={(hopline) => hopline.deleteWorkspace({ workspaceId, name })}
          onSent={onSent}
          onClose={() => setAsked(null)}
        >
          <div className="stack">
            <p>{t.allLinksStopRedirecting}</p>
            <TextField label={t.typeToConfirm(expected)} value={name} onChange={setName} autoComplete="off" />
          </div>
        </Confirm>
      )}
    </section>
  );
}
