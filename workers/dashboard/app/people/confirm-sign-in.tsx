/** Asks a person who has been signed in for a while to sign in again, for what must not be done at a screen that was left open. */
import type { SignedIn } from "@hopline/client/openapi";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { useState } from "react";
import { hopline } from "../caches.ts";
import { signInOptionsQuery, useMe } from "../queries.ts";
import { Button, TextField } from "../ui/controls.tsx";
import { Form, FormEnd } from "../ui/form.tsx";
import { Modal } from "../ui/modal.tsx";
import { ErrorNote, Note } from "../ui/page.tsx";
import { signInWith } from "./enter.ts";
import { HAS_PASSKEYS, isCancelled, signInWithPasskey } from "./passkey.ts";
import { shared } from "../words.ts";
import { t } from "./words.ts";

export function ConfirmSignIn({ answer }: { readonly answer: (hasSignedIn: boolean) => void }) {
  const me = useMe();
  const queryClient = useQueryClient();
  const { data: options } = useQuery(signInOptionsQuery);
  const [hasAsked, setAsked] = useState(false);
  const [password, setPassword] = useState("");
  const goOn = async ({ personId }: SignedIn) => {
    if (personId !== me.id) {
      // Another person's passkey: what is open here is not theirs.
      location.reload();
      return;
    }
    await queryClient.invalidateQueries({ queryKey: ["sessions"] });
    answer(true);
  };
  /** In whichever way. */
  const signingIn = useMutation({ mutationFn: (send: () => Promise<unknown>) => send() });
  const { isPending } = signingIn;
  const error = isCancelled(signingIn.error) ? null : signingIn.error;
  return (
    <Modal title={t.confirmThatItIsYou} onClose={() => answer(false)}>
      <p className="soft">{t.youSignedInMoreThanFifteen(me.email)}</p>
      {me.hasPassword && (
        <Form
          values={{ password }}
          sending={{ ...signingIn, error }}
          onSubmit={() =>
            signingIn.mutate(() => hopline.signIn({ body: { email: me.email, password } }).then(goOn))
          }
        >
          <TextField
            label={t.password}
            path="password"
            type="password"
            autoComplete="current-password"
            value={password}
            onChange={setPassword}
            required
            autoFocus
          />
          <FormEnd submit={t.signInAndContinue} isDisabled={password === ""} />
        </Form>
      )}
      {HAS_PASSKEYS && (
        <Button
          icon={KeyRound}
          label={t.usePasskey}
          disabled={isPending}
          onClick={() => signingIn.mutate(() => signInWithPasskey().then(goOn))}
        />
      )}
      {options?.providers.map(({ id, name }) => (
        <Button
          label={t.signInWithThenRepeatThis(name)}
          key={id}
          disabled={isPending}
          onClick={() => signingIn.mutate(() => signInWith(id, location.pathname + location.search))}
        />
      ))}
      {options?.email === true &&
        (hasAsked ? (
          <Note>
            {t.openLinkInEmail(me.email)} <Button label={t.continue} isSmall onClick={() => answer(true)} />
          </Note>
        ) : (
          <Button
            label={t.sendMeLinkByEmail}
            kind="quiet"
            disabled={isPending}
            onClick={() =>
              signingIn.mutate(() =>
                hopline.requestSignInLink({ body: { email: me.email } }).then(() => setAsked(true)),
              )
            }
          />
        ))}
      {!me.hasPassword && error !== null && <ErrorNote error={error} />}
      <div>
        <Button label={shared.cancel} kind="quiet" onClick={() => answer(false)} />
      </div>
    </Modal>
  );
}
