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
import { t } from "./words.ts";

export function DeleteAccountCard() {
  const [isAsking, setAsking] = useState(false);
  return (
    <section className="card stack">
      <h2>{t.deleteAccount}</h2>
      <p className="soft">{t.yourSessionsPasskeys}</p>
      <div>
        <Button label={t.deleteMyAccount} isDanger onClick={() => setAsking(true)} />
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
    said: t.yourAccountIsDeleted,
    onSent: async () => {
      await navigate({ to: "/sign-in" });
      forgetSession();
    },
  });
  return (
    <FormDialog
      title={t.askDeleteYourAccount}
      values={{ typed }}
      sending={deleting}
      submit={t.deleteMyAccount}
      isDanger
      isDisabled={typed.trim().toLowerCase() !== me.email}
      explainError={explainSoleOwner}
      onClose={onClose}
    >
      <p>{t.thisCantBeUndoneToConfirm(me.email)}</p>
      <TextField label={t.yourEmailAddress} value={typed} onChange={setTyped} autoComplete="off" required />
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
      {t.everyWorkspaceNeedsOwner}
      <ul>
        {owned.map(({ message }) => (
          <li key={message}>{message}</li>
        ))}
      </ul>
    </Note>
  );
}
