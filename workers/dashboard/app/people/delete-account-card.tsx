/** The end of one's own account. */
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { hasCode } from "../api.ts";
import { useMe } from "../queries.ts";
import { Button, TextField } from "../ui/controls.tsx";
import { FormDialog } from "../ui/modal.tsx";
import { Note } from "../ui/page.tsx";
import { useSending } from "../use-sending.ts";
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
        <Button label="Delete my account" isDanger onClick={() => setAsking(true)} />
      </div>
      {isAsking && <DeleteAccount onClose={() => setAsking(false)} />}
    </section>
  );
}

function DeleteAccount({ onClose }: { readonly onClose: () => void }) {
  const me = useMe();
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  const deleting = useSending({
    send: (own) => own.deleteMe(),
    said: "Your account is deleted.",
    onSent: async () => {
      await navigate({ to: "/sign-in" });
      forgetSession();
    },
  });
  return (
    <FormDialog
      title="Delete your account?"
      values={{ typed }}
      sending={deleting}
      submit="Delete my account"
      isDanger
      isDisabled={typed.trim().toLowerCase() !== me.email}
      explainError={explainSoleOwner}
      onClose={onClose}
    >
      <p>This can&rsquo;t be undone. To confirm, type your email address, {me.email}.</p>
      <TextField label="Your email address" value={typed} onChange={setTyped} autoComplete="off" required />
    </FormDialog>
  );
}

function explainSoleOwner(error: unknown) {
  if (!hasCode(error, "sole_owner")) {
    return null;
  }
  const owned = error.problem?.errors ?? [];
  return (
    <Note kind="bad">
      A workspace must not be left without an owner: make someone else an owner, or delete it first.
      <ul>
        {owned.map(({ message }) => (
          <li key={message}>{message}</li>
        ))}
      </ul>
    </Note>
  );
}
