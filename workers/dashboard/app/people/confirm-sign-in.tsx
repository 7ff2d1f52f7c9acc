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
import { HAS_PASSKEYS, isCancelled, signInWithPasskey } from "./passkey.ts";
import { shared } from "../words.ts";
import { t } from "./words.ts";

export function ConfirmSignIn({ answer }: { readonly answer: (hasSignedIn: boolean) => void }) {
  const me = useMe();
  const queryClient = useQueryClient();
  const options = useQuery(signInOptionsQuery);
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
  const signingIn = useMutation({
    mutationFn: () => hopline.signIn({ body: { email: me.email, password } }),
    onSuccess: goOn,
  });
  const usingPasskey = useMutation({ mutationFn: signInWithPasskey, onSuccess: goOn });
  const asking = useMutation({ mutationFn: () => hopline.requestSignInLink({ body: { email: me.email } }) });
  const leaving = useMutation({
    mutationFn: (provider: string) =>
      hopline.startSignIn({ body: { provider, returnTo: location.pathname + location.search } }),
    onSuccess: ({ location: address }) => location.assign(address),
  });
  const ways = [signingIn, usingPasskey, asking, leaving];
  const fault = ways.slice(1).find((way) => way.isError)?.error ?? null;
  const isBusy = ways.some(({ isPending }) => isPending);
  return (
    <Modal title={t.confirmThatItIsYou} onClose={() => answer(false)}>
      <p className="soft">{t.youSignedInMoreThanFifteen(me.email)}</p>
      {me.hasPassword && (
        <Form
          values={{ password }}
          sending={{ ...signingIn, isPending: isBusy }}
          onSubmit={() => signingIn.mutate()}
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
          disabled={isBusy}
          onClick={() => usingPasskey.mutate()}
        />
      )}
      {options.data?.providers.map(({ id, name }) => (
        <Button
          label={t.signInWithThenRepeatThis(name)}
          key={id}
          disabled={isBusy}
          onClick={() => leaving.mutate(id)}
        />
      ))}
      {options.data?.email === true &&
        (asking.isSuccess ? (
          <Note>
            {t.openLinkInEmail(me.email)} <Button label={t.continue} isSmall onClick={() => answer(true)} />
          </Note>
        ) : (
          <Button
            label={t.sendMeLinkByEmail}
            kind="quiet"
            disabled={isBusy}
            onClick={() => asking.mutate()}
          />
        ))}
      {fault !== null && !isCancelled(fault) && <ErrorNote error={fault} />}
      <div>
        <Button label={shared.cancel} kind="quiet" onClick={() => answer(false)} />
      </div>
    </Modal>
  );
}
