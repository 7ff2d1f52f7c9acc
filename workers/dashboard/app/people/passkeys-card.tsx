/** Passkeys of one's own account. */
import type { Passkey } from "@hopline/client/openapi";
import { useQuery } from "@tanstack/react-query";
import { KeyRound, Trash2 } from "lucide-react";
import { useState } from "react";
import { hopline } from "../caches.ts";
import { formatDate } from "../format.ts";
import { ask } from "../queries.ts";
import { Confirm } from "../ui/modal.tsx";
import { IconButton, TextField } from "../ui/controls.tsx";
import { Form, FormState, SubmitButton } from "../ui/form.tsx";
import { Note, Waiting } from "../ui/page.tsx";
import { useSending } from "../use-sending.ts";
import { HAS_PASSKEYS, isCancelled, isKnownDevice, makePasskey } from "./passkey.ts";

export function PasskeysCard() {
  const [name, setName] = useState("");
  const [removed, setRemoved] = useState<Passkey | null>(null);
  const passkeys = useQuery(ask(["passkeys"], (own) => Array.fromAsync(own.listPasskeys())));
  const making = useSending({
    send: () => makePasskey(name),
    said: `Passkey ${name} added.`,
    rereads: ["passkeys", "sign-in-methods"],
    onSent: () => setName(""),
  });
  return (
    <section className="card stack" aria-label="Passkeys">
      <h2>Passkeys</h2>
      <p className="soft">
        Sign in with your fingerprint, face, or the lock of your device: nothing to remember, and nothing that
        can be phished.
      </p>
      <Waiting query={passkeys} lines={2} />
      {(passkeys.data ?? []).length > 0 && (
        <ul className="stack tight">
          {passkeys.data?.map((passkey) => (
            <li key={passkey.id} className="row">
              <KeyRound size={16} aria-hidden />
              <span className="cut">{passkey.name}</span>
              <span className="soft small cut">
                {passkey.isSynced ? "on your devices" : "on one device"}, since{" "}
                {formatDate(passkey.createdAt)},{" "}
                {passkey.lastUsedAt === null ? "not used yet" : `last used ${formatDate(passkey.lastUsedAt)}`}
              </span>
              <IconButton
                icon={Trash2}
                label={`Remove the passkey ${passkey.name}`}
                className="spread"
                onClick={() => setRemoved(passkey)}
              />
            </li>
          ))}
        </ul>
      )}
      {HAS_PASSKEYS ? (
        <Form values={{ name }} sending={making} onSubmit={() => making.mutate()}>
          <div className="row end">
            <TextField
              path="name"
              label="Name of a new passkey"
              placeholder="Laptop"
              value={name}
              onChange={setName}
              required
              maxLength={100}
            />
            <SubmitButton submit="Add passkey" />
          </div>
          <FormState explainError={explainMaking} />
        </Form>
      ) : (
        <Note>This browser has no passkeys.</Note>
      )}
      {removed !== null && (
        <Confirm
          title={`Remove the passkey ${removed.name}?`}
          button="Remove the passkey"
          send={() => hopline.deletePasskey({ passkeyId: removed.id })}
          rereads={["passkeys", "sign-in-methods"]}
          onClose={() => setRemoved(null)}
        >
          It can&rsquo;t be used here any more. Your device still lists it: remove it there, too.
        </Confirm>
      )}
    </section>
  );
}

function explainMaking(error: unknown) {
  if (isCancelled(error)) {
    return <Note>No passkey was made.</Note>;
  }
  return isKnownDevice(error) ? <Note>This device has a passkey for your account already.</Note> : null;
}
