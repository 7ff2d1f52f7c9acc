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
import { signInWith, useEnter } from "./enter.ts";
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
  const { data: options } = useQuery(signInOptionsQuery);
  const [hasAsked, setAsked] = useState(false);
  /** In whichever way. */
  const signingIn = useMutation({ mutationFn: (send: () => Promise<unknown>) => send() });
  if (hasAsked) {
    return (
      <Gate title={t.checkYourEmail} about={<>{t.ifMaySignInHereLinkIsOnWay(email)}</>}>
        <Note kind="good">
          <MailCheck size={16} aria-hidden /> {t.itWorksOnceIfItDoesNotCome}
        </Note>
        <Button label={t.back} onClick={() => setAsked(false)} />
      </Gate>
    );
  }
  const { isPending } = signingIn;
  // Of the browser's dialog for passkeys: the person who closed it knows.
  const error = isCancelled(signingIn.error) ? null : signingIn.error;
  return (
    <Gate title={t.signIn}>
      {failed !== undefined && error === null && <Note kind="bad">{FAILURES[failed] ?? FAILED}</Note>}
      {ended !== undefined && error === null && <Note>{t.yourSessionHasEndedSign}</Note>}
      <Form
        values={draft}
        sending={{ ...signingIn, error }}
        onSubmit={() => signingIn.mutate(() => hopline.signIn({ body: draft }).then(enter))}
      >
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
            disabled={isPending}
            onClick={() => signingIn.mutate(() => signInWithPasskey().then(enter))}
          />
        )}
        {options?.providers.map(({ id, name }) => (
          <Button
            label={t.signInWithName(name)}
            key={id}
            disabled={isPending}
            onClick={() => signingIn.mutate(() => signInWith(id, ownPage(next, location.origin) ?? "/"))}
          />
        ))}
        {options?.email === true && (
          <Button
            label={t.forgotPasswordEmailMeSign}
            kind="quiet"
            disabled={isPending}
            onClick={() => {
              // The browser says what it lacks, and goes there.
              if (document.querySelector<HTMLInputElement>("input[name=email]")?.reportValidity() === true) {
                signingIn.mutate(() =>
                  hopline.requestSignInLink({ body: { email } }).then(() => setAsked(true)),
                );
              }
            }}
          />
        )}
      </div>
    </Gate>
  );
}

const FAILED = t.identityProviderDidNotSign;
