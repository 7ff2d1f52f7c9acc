/** The end of one's own account. */
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { hasCode } from "../api.ts";
import { hopline } from "../caches.ts";
import { useMe } from "../queries.ts";
import { Button, TextField } from "../ui/controls.tsx";
import { Form, FormEnd } from "../ui/form.tsx";
import { Modal } from "../ui/modal.tsx";
import { Note } from "../ui/notes.tsx";
import { say } from "../ui/toasts.ts";
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
    <Modal title="Delete your account?" onClose={onClose}>
      <Form values={{ typed }} sending={deleting} onSubmit={() => deleting.mutate()}>
        <p>This can&rsquo;t be undone. To confirm, type your email address, {me.email}.</p>
        <TextField label="Your email address" value={typed} onChange={setTyped} autoComplete="off" required />
        <FormEnd
          submit="Delete my account"
          isDanger
          isDisabled={typed.trim().toLowerCase() !== me.email}
          onCancel={onClose}
          explainError={explainSoleOwner}
        />
      </Form>
    </Modal>
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
