/** Passkeys of one's own account. */
import type { Passkey } from "@hopline/client/openapi";
import { useQuery } from "@tanstack/react-query";
import { KeyRound, Trash2 } from "lucide-react";
import { useState } from "react";
import { hopline } from "../caches.ts";
import { formatDate } from "../format.ts";
import { askAll } from "../queries.ts";
import { Confirm } from "../ui/modal.tsx";
import { IconButton, TextField } from "../ui/controls.tsx";
import { Form, FormState, SubmitButton } from "../ui/form.tsx";
import { Note, Waiting } from "../ui/page.tsx";
import { useSending } from "../use-sending.ts";
import { HAS_PASSKEYS, isCancelled, isKnownDevice, makePasskey } from "./passkey.ts";
import { t } from "./words.ts";

export function PasskeysCard() {
  const [name, setName] = useState("");
  const [removed, setRemoved] = useState<Passkey | null>(null);
  const passkeys = useQuery(askAll(["passkeys"], (own) => own.listPasskeys()));
  const making = useSending({
    send: () => makePasskey(name),
    said: t.passkeyAdded(name),
    rereads: ["passkeys", "sign-in-methods"],
    onSent: () => setName(""),
  });
  return (
    <section className="card stack" aria-label={t.passkeys}>
      <h2>{t.passkeys}</h2>
      <p className="soft">{t.signInWithYourFingerprint}</p>
      <Waiting query={passkeys} lines={2} />
      <ul className="stack tight">
        {passkeys.data?.map((passkey) => (
          <li key={passkey.id} className="row">
            <KeyRound size={16} aria-hidden />
            <span className="cut">{passkey.name}</span>
            <span className="soft small cut">
              {t.sinceCreatedAtOfIsSynced(
                passkey.isSynced,
                formatDate(passkey.createdAt),
                passkey.lastUsedAt,
              )}
            </span>
            <IconButton
              icon={Trash2}
              label={t.removePasskey(passkey.name)}
              className="spread"
              onClick={() => setRemoved(passkey)}
            />
          </li>
        ))}
      </ul>
      {HAS_PASSKEYS ? (
        <Form values={{ name }} sending={making} onSubmit={() => making.mutate()}>
          <div className="row end">
            <TextField
              path="name"
              label={t.nameNewPasskey}
              placeholder={t.laptop}
              value={name}
              onChange={setName}
              required
              maxLength={100}
            />
            <SubmitButton submit={t.addPasskey} />
          </div>
          <FormState explainError={explainMaking} />
        </Form>
      ) : (
        <Note>{t.thisBrowserHasNoPasskeys}</Note>
      )}
      {removed !== null && (
        <Confirm
          title={t.askRemovePasskey(removed.name)}
          button={t.removePasskeyButton}
          send={() => hopline.deletePasskey({ passkeyId: removed.id })}
          rereads={["passkeys", "sign-in-methods"]}
          onClose={() => setRemoved(null)}
        >
          {t.itCantBeUsedHereAnyMore}
        </Confirm>
      )}
    </section>
  );
}

function explainMaking(error: unknown) {
  if (isCancelled(error)) {
    return <Note>{t.noPasskeyWasCreated}</Note>;
  }
  return isKnownDevice(error) ? <Note>{t.thisDeviceHasPasskey}</Note> : null;
}
