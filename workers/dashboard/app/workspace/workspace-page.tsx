/** The workspace: its name, who is in it, who is invited, and its end. */
import type { Member } from "@hopline/client/openapi";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { MailPlus, UserMinus, X } from "lucide-react";
import { useState } from "react";
import { ownCache, useHopline } from "../caches.ts";
import { formatDate } from "../format.ts";
import { usePreferences } from "../preferences.ts";
import { useMay, useMe, useWorkspace, signInOptionsQuery, workspacesQuery } from "../queries.ts";
import { PageHead } from "../shell/page-head.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Button, IconButton, Select, SelectField, TextField } from "../ui/controls.tsx";
import { Form, FormEnd } from "../ui/form.tsx";
import { Modal } from "../ui/modal.tsx";
import { ErrorNote, Note, Skeleton } from "../ui/notes.tsx";
import { say, sayError } from "../ui/toasts.ts";
import { useKept } from "../ui/use-kept.ts";

const ROLES = ["viewer", "editor", "admin", "owner"] as const;
const ABOUT_ROLES: { readonly [role in Member["role"]]: string } = {
  viewer: "can see everything",
  editor: "changes links",
  admin: "manages keys, domains, people",
  owner: "has full control",
};

export function WorkspacePage() {
  const { id: workspaceId } = useWorkspace();
  return (
    <main className="page narrow">
      <PageHead title="Workspace" />
      <NameCard workspaceId={workspaceId} />
      <MembersCard workspaceId={workspaceId} />
      <InvitationsCard workspaceId={workspaceId} />
      <EndCard workspaceId={workspaceId} />
    </main>
  );
}

type Part = { readonly workspaceId: string };

function NameCard({ workspaceId }: Part) {
  const hopline = useHopline();
  const mayManage = useMay("admin");
  const { name: current } = useWorkspace();
  const [name, setName] = useState(current);
  const saving = useMutation({
    mutationFn: () => hopline.updateWorkspace({ workspaceId, body: { name } }),
    onSuccess: async () => {
      say("Name saved.");
      await ownCache.invalidateQueries({ queryKey: ["workspaces"] });
    },
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

function MembersCard({ workspaceId }: Part) {
  const hopline = useHopline();
  const { timeZone } = usePreferences();
  const queryClient = useQueryClient();
  const me = useMe();
  const mayManage = useMay("admin");
  const isOwner = useMay("owner");
  const [removed, setRemoved] = useState<Member | null>(null);
  const members = useQuery({
    queryKey: ["members", workspaceId],
    queryFn: () => Array.fromAsync(hopline.listMembers({ workspaceId, limit: 100 })),
  });
  const readAgain = () => queryClient.invalidateQueries({ queryKey: ["members"] });
  const changing = useMutation({
    mutationFn: ({ memberId, role }: { readonly memberId: string; readonly role: Member["role"] }) =>
      hopline.updateMember({ workspaceId, memberId, body: { role } }),
    onSuccess: readAgain,
    onError: sayError,
  });
  const removing = useMutation({
    mutationFn: (memberId: string) => hopline.deleteMember({ workspaceId, memberId }),
    onSuccess: async () => {
      setRemoved(null);
      await readAgain();
    },
  });
  return (
    <section className="card stack">
      <h2>Members</h2>
      {members.isPending && <Skeleton />}
      {members.isError && <ErrorNote error={members.error} onRetry={() => void members.refetch()} />}
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
                  {email}, since {formatDate(createdAt, timeZone)}
                </span>
              </span>
              <span className="row spread">
                {mayChange ? (
                  <Select
                    aria-label={`Role of ${name}`}
                    className="input class-choice"
                    value={role}
                    onChange={(chosen) =>
                      changing.mutate({ memberId: id, role: ROLES.find((one) => one === chosen) ?? "viewer" })
                    }
                    choices={ROLES.filter((one) => isOwner || one !== "owner").map((one) => ({
                      value: one,
                      label: one,
                    }))}
                  />
                ) : (
                  <span className="chip">{role}</span>
                )}
                {mayChange && (
                  <IconButton label={`Remove ${name}`} isSmall isDanger onClick={() => setRemoved(member)}>
                    <UserMinus size={15} aria-hidden />
                  </IconButton>
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
          onConfirm={() => removing.mutate(removed.id)}
          onClose={() => setRemoved(null)}
          isPending={removing.isPending}
          error={removing.error}
        >
          They see nothing of this workspace any more. API keys are the workspace&rsquo;s: revoke those that
          they know.
        </Confirm>
      )}
    </section>
  );
}

function InvitationsCard({ workspaceId }: Part) {
  const hopline = useHopline();
  const { timeZone } = usePreferences();
  const queryClient = useQueryClient();
  const mayManage = useMay("admin");
  const hasEmail = useQuery(signInOptionsQuery, ownCache).data?.email !== false;
  const [isInviting, setInviting] = useState(false);
  const invitations = useQuery({
    queryKey: ["invitations", workspaceId],
    queryFn: () => Array.fromAsync(hopline.listInvitations({ workspaceId, limit: 100 })),
    enabled: mayManage,
  });
  const readAgain = () => queryClient.invalidateQueries({ queryKey: ["invitations"] });
  const resending = useMutation({
    // Inviting an address again starts its days over.
    mutationFn: (body: Invitation) => hopline.createInvitation({ workspaceId, body }),
    onSuccess: async ({ email }) => {
      say(`Another email is on its way to ${email}.`);
      await readAgain();
    },
    onError: sayError,
  });
  const cancelling = useMutation({
    mutationFn: (invitationId: string) => hopline.deleteInvitation({ workspaceId, invitationId }),
    onSuccess: readAgain,
    onError: sayError,
  });
  return mayManage ? (
    <section className="card stack">
      <div className="row">
        <h2>Invitations</h2>
        {hasEmail && (
          <Button isSmall className="spread" onClick={() => setInviting(true)}>
            <MailPlus size={15} aria-hidden /> Invite colleagues
          </Button>
        )}
      </div>
      {!hasEmail && (
        <Note>This deployment sends no emails, so nobody can be invited: its operator can set that up.</Note>
      )}
      {invitations.isPending && <Skeleton lines={2} />}
      {invitations.isError && (
        <ErrorNote error={invitations.error} onRetry={() => void invitations.refetch()} />
      )}
      {hasEmail && invitations.data?.length === 0 && <p className="soft">No open invitations.</p>}
      <ul className="stack tight">
        {invitations.data?.map(({ id, email, role, expiresAt }) => (
          <li key={id} className="row wrap">
            <span>{email}</span>
            <span className="soft small">
              as {role}, until {formatDate(expiresAt, timeZone)}
            </span>
            <span className="row spread">
              <Button
                isSmall
                aria-label={`Send again to ${email}`}
                disabled={resending.isPending}
                onClick={() => resending.mutate({ email, role })}
              >
                Send again
              </Button>
              <IconButton
                label={`Cancel the invitation of ${email}`}
                isSmall
                onClick={() => cancelling.mutate(id)}
              >
                <X size={15} aria-hidden />
              </IconButton>
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
  const { role } = draft;
  const inviting = useMutation({
    mutationFn: async () => {
      const emails = [...new Set(draft.email.split(/[\s,;]+/).filter((email) => email !== ""))];
      for (const [index, email] of emails.entries()) {
        await hopline.createInvitation({ workspaceId, body: { email, role } });
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
    <Modal title="Invite colleagues" isOpen onClose={onClose}>
      <Form values={draft} sending={inviting} onSubmit={() => inviting.mutate()}>
        <TextField
          label="Email addresses"
          hint="Several with a comma or a space between them."
          inputMode="email"
          autoCapitalize="off"
          value={draft.email}
          onChange={(text) => set({ email: text })}
          path="email"
          required
          autoFocus
        />
        <SelectField
          label="Role"
          value={role}
          onChange={(chosen) => set({ role: ROLES.find((one) => one === chosen) ?? "viewer" })}
          path="role"
          choices={ROLES.filter((one) => isOwner || one !== "owner").map((one) => ({
            value: one,
            label: `${one}: ${ABOUT_ROLES[one]}`,
          }))}
        />
        <FormEnd
          submit="Send invitations"
          onCancel={() => {
            forget();
            onClose();
          }}
        />
      </Form>
    </Modal>
  );
}

function EndCard({ workspaceId }: Part) {
  const hopline = useHopline();
  const navigate = useNavigate();
  const isOwner = useMay("owner");
  const { name: expected } = useWorkspace();
  const [asked, setAsked] = useState<"leave" | "delete" | null>(null);
  const [name, setName] = useState("");
  const onSuccess = async () => {
    setAsked(null);
    await ownCache.fetchQuery({ ...workspacesQuery, staleTime: 0 });
    await navigate({ to: "/" });
  };
  const leaving = useMutation({ mutationFn: () => hopline.leaveWorkspace({ workspaceId }), onSuccess });
  const deleting = useMutation({
    mutationFn: () => hopline.deleteWorkspace({ workspaceId, name }),
    onSuccess,
  });
  return (
    <section className="card stack">
      <h2>Leave or delete</h2>
      <div className="row wrap">
        <Button isDanger onClick={() => setAsked("leave")}>
          Leave this workspace
        </Button>
        {isOwner && (
          <Button isDanger onClick={() => setAsked("delete")}>
            Delete this workspace
          </Button>
        )}
      </div>
      {asked === "leave" && (
        <Confirm
          title={`Leave ${expected}?`}
          button="Leave"
          onConfirm={() => leaving.mutate()}
          onClose={() => setAsked(null)}
          isPending={leaving.isPending}
          error={leaving.error}
        >
          You come back only by another invitation.
        </Confirm>
      )}
      {asked === "delete" && (
        <Confirm
          title={`Delete ${expected}?`}
          button="Delete everything"
          onConfirm={() => deleting.mutate()}
          onClose={() => setAsked(null)}
          isPending={deleting.isPending}
          error={deleting.error}
        >
          <div className="stack">
            <p>
              All its links stop redirecting within seconds, and its domains, keys and members are gone. There
              is no way back.
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
