/** The workspace: its name, who is in it, who is invited, and its end. */
import type { Member } from "@hopline/client/openapi";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { MailPlus, UserMinus, X } from "lucide-react";
import { useState } from "react";
import { ownCache, useHopline } from "../caches.ts";
import { formatDate } from "../format.ts";
import {
  ask,
  membersQuery,
  useMay,
  useMe,
  useWorkspace,
  signInOptionsQuery,
  workspacesQuery,
} from "../queries.ts";
import { DefaultsForm } from "../links/defaults-fields.tsx";
import { Button, fieldsOf, IconButton, Select, SelectField, TextField } from "../ui/controls.tsx";
import { Form, FormEnd } from "../ui/form.tsx";
import { Confirm, FormDialog } from "../ui/modal.tsx";
import { Note, PageHead, Waiting } from "../ui/page.tsx";
import { say } from "../ui/toasts.ts";
import { useKept } from "../ui/use-kept.ts";
import { useSending } from "../use-sending.ts";
import { ABOUT_ROLES } from "./words.ts";

const ROLES = ["viewer", "editor", "admin", "owner"] as const;

const rolesFor = (isOwner: boolean) => ROLES.filter((role) => isOwner || role !== "owner");

export function WorkspacePage() {
  const { id: workspaceId } = useWorkspace();
  return (
    <main className="page narrow">
      <PageHead title="Workspace" />
      <NameCard workspaceId={workspaceId} />
      <DefaultsCard workspaceId={workspaceId} />
      <MembersCard workspaceId={workspaceId} />
      <InvitationsCard workspaceId={workspaceId} />
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
    said: "Name saved.",
    onSent: () => ownCache.invalidateQueries(workspacesQuery),
  });
  return (
    <section className="card">
      <Form values={{ name }} sending={saving} onSubmit={() => saving.mutate()}>
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          path="name"
          disabled={!mayManage}
          required
          maxLength={200}
        />
        {mayManage && <FormEnd submit="Save name" isDisabled={name === current} />}
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
    said: "Defaults saved.",
    onSent: () => ownCache.invalidateQueries(workspacesQuery),
  });
  return mayManage ? (
    <section className="card stack" aria-label="Defaults of new links">
      <h2>Defaults of new links</h2>
      <DefaultsForm name={workspaceId} stored={defaults} sending={saving} />
    </section>
  ) : null;
}

function MembersCard({ workspaceId }: Part) {
  const me = useMe();
  const mayManage = useMay("admin");
  const isOwner = useMay("owner");
  const [removed, setRemoved] = useState<Member | null>(null);
  const members = useQuery(membersQuery(workspaceId));
  const changing = useSending({
    send: (hopline, { id, role }: Pick<Member, "id" | "role">) =>
      hopline.updateMember({ workspaceId, memberId: id, body: { role } }),
    rereads: ["members"],
    isBare: true,
  });
  return (
    <section className="card stack">
      <h2>Members</h2>
      <Waiting query={members} />
      <ul className="stack tight">
        {members.data?.map((member) => {
          const { id, name, email, role, createdAt, personId } = member;
          const mayChange = mayManage && (isOwner || role !== "owner") && personId !== me.id;
          return (
            <li key={id} className="row wrap">
              <span className="account-mark" aria-hidden>
                {name.charAt(0).toUpperCase()}
              </span>
              <span className="account-name">
                <span>
                  {name} {personId === me.id && <span className="soft">(you)</span>}
                </span>
                <span className="small soft">
                  {email}, since {formatDate(createdAt)}
                </span>
              </span>
              <span className="row spread">
                {mayChange ? (
                  <Select
                    aria-label={`Role of ${name}`}
                    className="input class-choice"
                    value={role}
                    onChange={(chosen) => changing.mutate({ id, role: chosen })}
                    choices={rolesFor(isOwner).map((one) => ({ value: one, label: one }))}
                  />
                ) : (
                  <span className="chip">{role}</span>
                )}
                {mayChange && (
                  <IconButton
                    icon={UserMinus}
                    label={`Remove ${name}`}
                    isDanger
                    onClick={() => setRemoved(member)}
                  />
                )}
              </span>
            </li>
          );
        })}
      </ul>
      {removed !== null && (
        <Confirm
          title={`Remove ${removed.name}?`}
          button="Remove from the workspace"
          send={(hopline) => hopline.deleteMember({ workspaceId, memberId: removed.id })}
          rereads={["members"]}
          onClose={() => setRemoved(null)}
        >
          They lose access at once, and the keys that they made end. Revoke others that they know.
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
    ...ask(["invitations", workspaceId], (own) =>
      Array.fromAsync(own.listInvitations({ workspaceId, limit: 100 })),
    ),
    enabled: mayManage,
  });
  const resending = useSending({
    // Inviting an address again starts its days over.
    send: (hopline, body: Invitation) => hopline.createInvitation({ workspaceId, body }),
    said: ({ email }) => `Another email is on its way to ${email}.`,
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
        <h2>Invitations</h2>
        {hasEmail && (
          <Button
            icon={MailPlus}
            label="Invite colleagues"
            isSmall
            className="spread"
            onClick={() => setInviting(true)}
          />
        )}
      </div>
      {!hasEmail && (
        <Note>This deployment sends no emails, so no one can be invited. Its operator can set that up.</Note>
      )}
      <Waiting query={invitations} lines={2} />
      {hasEmail && invitations.data?.length === 0 && <p className="soft">No open invitations.</p>}
      <ul className="stack tight">
        {invitations.data?.map(({ id, email, role, expiresAt }) => (
          <li key={id} className="row wrap">
            <span>{email}</span>
            <span className="soft small">
              as {role}, until {formatDate(expiresAt)}
            </span>
            <span className="row spread">
              <Button
                label="Send again"
                isSmall
                aria-label={`Send again to ${email}`}
                disabled={resending.isPending}
                onClick={() => resending.mutate({ email, role })}
              />
              <IconButton
                icon={X}
                label={`Cancel the invitation of ${email}`}
                onClick={() => cancelling.mutate(id)}
              />
            </span>
          </li>
        ))}
      </ul>
      {isInviting && <Invite workspaceId={workspaceId} onClose={() => setInviting(false)} />}
    </section>
  ) : null;
}

type Invitation = { readonly email: string; readonly role: Member["role"] };

function Invite({ workspaceId, onClose }: Part & { readonly onClose: () => void }) {
  const hopline = useHopline();
  const queryClient = useQueryClient();
  const isOwner = useMay("owner");
  const [draft, set, forget] = useKept<Invitation>("invitation", { email: "", role: "editor" });
  const field = fieldsOf(draft, set);
  const inviting = useMutation({
    mutationFn: async () => {
      const emails = [...new Set(draft.email.split(/[\s,;]+/).filter((email) => email !== ""))];
      for (const [index, email] of emails.entries()) {
        await hopline.createInvitation({ workspaceId, body: { email, role: draft.role } });
        // What is refused is left in the field, and those behind it.
        set({ email: emails.slice(index + 1).join(", ") });
      }
      return emails;
    },
    onSuccess: (emails) => {
      forget();
      onClose();
      say(
        `${emails.length === 1 ? "An email is" : `${emails.length} emails are`} on the way to ${emails.join(", ")}.`,
      );
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["invitations"] }),
  });
  return (
    <FormDialog
      title="Invite colleagues"
      values={draft}
      sending={inviting}
      submit="Send invitations"
      onCancel={forget}
      onClose={onClose}
    >
      <TextField
        label="Email addresses"
        hint="Several with a comma or a space between them."
        inputMode="email"
        autoCapitalize="off"
        {...field("email")}
        required
        autoFocus
      />
      <SelectField
        label="Role"
        {...field("role")}
        choices={rolesFor(isOwner).map((one) => ({ value: one, label: `${one}: ${ABOUT_ROLES[one]}` }))}
      />
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
      <h2>Leave or delete</h2>
      <div className="row wrap">
        <Button label="Leave this workspace" isDanger onClick={() => setAsked("leave")} />
        {isOwner && <Button label="Delete this workspace" isDanger onClick={() => setAsked("delete")} />}
      </div>
      {asked === "leave" && (
        <Confirm
          title={`Leave ${expected}?`}
          button="Leave"
          send={(hopline) => hopline.leaveWorkspace({ workspaceId })}
          onSent={onSent}
          onClose={() => setAsked(null)}
        >
          To come back, you need another invitation.
        </Confirm>
      )}
      {asked === "delete" && (
        <Confirm
          title={`Delete ${expected}?`}
          button="Delete everything"
          send={(hopline) => hopline.deleteWorkspace({ workspaceId, name })}
          onSent={onSent}
          onClose={() => setAsked(null)}
        >
          <div className="stack">
            <p>
              All its links stop redirecting within seconds, and its domains, keys and members are removed.
              This can&rsquo;t be undone.
            </p>
            <TextField
              label={`Type ${expected} to confirm`}
              value={name}
              onChange={setName}
              autoComplete="off"
            />
          </div>
        </Confirm>
      )}
    </section>
  );
}
