/** Signing in: with a password, a passkey, an identity provider, or by a link in an email. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { KeyRound, MailCheck } from "lucide-react";
import { useState } from "react";
import { hopline } from "../caches.ts";
import { signInOptionsQuery } from "../queries.ts";
import { Button, fieldsOf, TextField } from "../ui/controls.tsx";
import { Form, FormEnd } from "../ui/form.tsx";
import { Note } from "../ui/page.tsx";
import { useEnter } from "./enter.ts";
import { EmailField, Gate } from "./gate.tsx";
import { ownPage } from "./own-page.ts";
import { HAS_PASSKEYS, isCancelled, signInWithPasskey } from "./passkey.ts";
import { FAILURES, t } from "./words.ts";

const route = getRouteApi("/sign-in");

export function SignInPage() {
  const { next, ended, failed } = route.useSearch();
  const enter = useEnter(next);
  const [draft, setDraft] = useState({ email: "", password: "" });
  const field = fieldsOf(draft, (change) => setDraft({ ...draft, ...change }));
  const { email } = draft;
  const options = useQuery(signInOptionsQuery);
  const signingIn = useMutation({ mutationFn: () => hopline.signIn({ body: draft }), onSuccess: enter });
  const usingPasskey = useMutation({ mutationFn: signInWithPasskey, onSuccess: enter });
  const leaving = useMutation({
    mutationFn: (provider: string) =>
      hopline.startSignIn({ body: { provider, returnTo: ownPage(next, location.origin) ?? "/" } }),
    onSuccess: ({ location: address }) => location.assign(address),
  });
  const asking = useMutation({ mutationFn: () => hopline.requestSignInLink({ body: { email } }) });
  const ways = [signingIn, usingPasskey, leaving, asking];
  const start = (begin: () => void) => () => {
    ways.forEach((way) => way.reset());
    begin();
  };
  if (asking.isSuccess) {
    return (
      <Gate title={t.checkYourEmail} about={<>{t.ifMaySignInHereLinkIsOnWay(email)}</>}>
        <Note kind="good">
          <MailCheck size={16} aria-hidden /> {t.itWorksOnceIfItDoesNotCome}
        </Note>
        <Button label={t.back} onClick={() => asking.reset()} />
      </Gate>
    );
  }
  const fault = ways.find((way) => way.isError)?.error ?? null;
  // Of the browser's dialog for passkeys: the person who closed it knows.
  const error = isCancelled(fault) ? null : fault;
  const isBusy = ways.some(({ isPending }) => isPending);
  const sending = { error, isPending: isBusy, isPaused: ways.some(({ isPaused }) => isPaused) };
  return (
    <Gate title={t.signIn}>
      {failed !== undefined && error === null && <Note kind="bad">{FAILURES[failed] ?? FAILED}</Note>}
      {ended !== undefined && error === null && <Note>{t.yourSessionHasEndedSign}</Note>}
      <Form values={draft} sending={sending} onSubmit={start(() => signingIn.mutate())}>
        <EmailField {...field("email")} />
        <TextField
          label={t.password}
          type="password"
          name="password"
          autoComplete="current-password"
          {...field("password")}
          required
        />
        <FormEnd submit={t.signIn} />
      </Form>
      <div className="stack tight other-ways">
        {HAS_PASSKEYS && (
          <Button
            icon={KeyRound}
            label={t.signInWithPasskey}
            disabled={isBusy}
            onClick={start(() => usingPasskey.mutate())}
          />
        )}
        {options.data?.providers.map(({ id, name }) => (
          <Button
            label={t.signInWithName(name)}
            key={id}
            disabled={isBusy}
            onClick={start(() => leaving.mutate(id))}
          />
        ))}
        {options.data?.email === true && (
          <Button
            label={t.forgotPasswordEmailMeSign}
            kind="quiet"
            disabled={isBusy}
            onClick={start(() => {
              // The browser says what it lacks, and goes there.
              if (document.querySelector<HTMLInputElement>("input[name=email]")?.reportValidity() === true) {
                asking.mutate();
              }
            })}
          />
        )}
      </div>
    </Gate>
  );
}

const FAILED = t.identityProviderDidNotSign;
