/** The end of one's own account. */
import { HoplineError } from "@hopline/client/hopline-error";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { hasCode } from "../api.ts";
import { hopline } from "../caches.ts";
import { useMe } from "../queries.ts";
import { Button, TextField } from "../ui/controls.tsx";
import { Modal } from "../ui/modal.tsx";
import { ErrorNote, Note } from "../ui/notes.tsx";
import { say } from "../ui/toasts.ts";
import { onSend } from "./gate.tsx";
import { forgetSession } from "./other-tabs.ts";

export function DeleteAccountCard() {
  const [isAsking, setAsking] = useState(false);
  return (
    <section className="card stack">
      <h2>Delete the account</h2>
      <p className="soft">
        Your sessions, passkeys and memberships end. Links that you made belong to their workspace, and stay.
      </p>
      <div>
        <Button isDanger onClick={() => setAsking(true)}>
          Delete my account
        </Button>
      </div>
      {isAsking && <DeleteAccount onClose={() => setAsking(false)} />}
    </section>
  );
}

function DeleteAccount({ onClose }: { readonly onClose: () => void }) {
  const me = useMe();
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  const deleting = useMutation({
    mutationFn: () => hopline.deleteMe(),
    onSuccess: async () => {
      say("Your account is deleted.");
      await navigate({ to: "/sign-in" });
      forgetSession();
    },
  });
  return (
    <Modal title="Delete your account?" isOpen onClose={onClose}>
      <form className="stack" onSubmit={onSend(() => deleting.mutate())}>
        <p>There is no way back. To go on, type your email address, {me.email}.</p>
        <TextField label="Your email address" value={typed} onChange={setTyped} autoComplete="off" required />
        {deleting.isError && <DeletingFault error={deleting.error} />}
        <div className="row">
          <Button kind="quiet" className="spread" onClick={onClose}>
            Cancel
          </Button>
          <Button
            kind="primary"
            isDanger
            type="submit"
            disabled={typed.trim().toLowerCase() !== me.email || deleting.isPending}
          >
            Delete my account
          </Button>
        </div>
      </form>
    </Modal>
  );
}

function DeletingFault({ error }: { readonly error: unknown }) {
  if (!hasCode(error, "sole_owner")) {
    return <ErrorNote error={error} />;
  }
  const owned = error instanceof HoplineError ? (error.problem?.errors ?? []) : [];
  return (
    <Note kind="bad">
      A workspace must not be left without an owner: make somebody else one, or delete it first.
      <ul>
        {owned.map(({ message }) => (
          <li key={message}>{message}</li>
        ))}
      </ul>
    </Note>
  );
}
