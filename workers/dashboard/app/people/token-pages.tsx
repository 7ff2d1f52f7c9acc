/**
 * Pages that links with a one-time token lead to: signing in, an invitation, the first account of a deployment, a new address.
 * Loading one uses nothing up, because programs that read mail load pages, too; its button does.
 */
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { hasCode } from "../api.ts";
import { hopline } from "../caches.ts";
import { describeMember } from "../keys/describe-key.ts";
import { ask, signInOptionsQuery, useMe } from "../queries.ts";
import { Button, fieldsOf, TextField, type TextFieldProps } from "../ui/controls.tsx";
import { Form, FormEnd } from "../ui/form.tsx";
import { ErrorNote, Note, PageHead, Skeleton } from "../ui/page.tsx";
import { useSending } from "../use-sending.ts";
import { useEnter } from "./enter.ts";
import { EmailField, Gate } from "./gate.tsx";
import { NewPasswordField } from "./new-password-field.tsx";
import { t } from "./words.ts";

export function OpenLinkPage() {
  const { token } = getRouteApi("/sign-in/link").useSearch();
  const [enter, enterAccount] = [useEnter(), useEnter("/account")];
  const opening = useMutation({
    mutationFn: (_isForPassword: boolean) => hopline.openSignInLink({ body: { token } }),
    onSuccess: (_signedIn, isForPassword) => (isForPassword ? enterAccount() : enter()),
  });
  const isIdle = !opening.isPending && token !== "";
  return (
    <Gate title={t.signIn} about={t.withLinkFromYourEmail}>
      {opening.isError && <TokenFault error={opening.error} />}
      <Button
        label={t.signIn}
        kind="primary"
        disabled={!isIdle}
        onClick={() => opening.mutate(false)}
        autoFocus
      />
      <Button label={t.signInAndSetNewPassword} disabled={!isIdle} onClick={() => opening.mutate(true)} />
    </Gate>
  );
}

export function InvitationPage() {
  const { token } = getRouteApi("/invitation").useSearch();
  const invitation = useQuery({
    ...ask(["invitation", token], (own, options) => own.readInvitationDetails({ body: { token } }, options)),
    staleTime: 0,
  });
  const { data } = invitation;
  if (data === undefined) {
    return (
      <Gate title={t.youAreInvited}>
        {invitation.isPending ? <Skeleton /> : <TokenFault error={invitation.error} />}
      </Gate>
    );
  }
  const { inviterName, workspaceName, role, bounds, account } = data;
  const signIn = (
    <Link to="/sign-in" search={{ next: `/invitation?token=${encodeURIComponent(token)}` }}>
      {t.signInText}
    </Link>
  );
  return (
    <Gate
      title={t.joinWorkspaceName(workspaceName)}
      about={t.invitesYouToWorkspaceAs(inviterName, workspaceName, role)}
    >
      <p>{describeMember(role, bounds, true)}</p>
      {account === "signed-out" ? (
        <Note>
          {t.youHaveAccount} {signIn} {t.toItAndYouComeBackHere}
        </Note>
      ) : (
        <AcceptForm token={token} isNew={account === "none"} signIn={signIn} />
      )}
    </Gate>
  );
}

type AcceptFormProps = { readonly token: string; readonly isNew: boolean; readonly signIn: ReactNode };

function AcceptForm({ token, isNew, signIn }: AcceptFormProps) {
  const enter = useEnter();
  const { data: options } = useQuery(signInOptionsQuery);
  const [draft, setDraft] = useState({ name: "", password: "" });
  const field = fieldsOf(draft, (change) => setDraft({ ...draft, ...change }));
  const chosen = Object.fromEntries(Object.entries(draft).filter(([, text]) => text !== ""));
  const accepting = useMutation({
    mutationFn: () => hopline.acceptInvitation({ body: { token, ...chosen } }),
    onSuccess: enter,
  });
  return (
    <Form values={draft} sending={accepting} onSubmit={() => accepting.mutate()}>
      {isNew && (
        <>
          <NameField {...field("name")} autoFocus />
          <NewPasswordField label={t.newPassword} hint={t.n10CharactersOrMoreHint} {...field("password")} />
        </>
      )}
      <FormEnd submit={t.acceptInvitation} explainError={explainToken} />
      {isNew && (options?.providers ?? []).length > 0 && (
        <p className="small soft">
          {t.toUse} {options?.providers.map((provider) => provider.name).join(" or ")} {t.instead} {signIn}{" "}
          {t.firstAndYouComeBackHere}
        </p>
      )}
    </Form>
  );
}

export function SetUpPage() {
  const { token } = getRouteApi("/set-up").useSearch();
  const enter = useEnter();
  const [draft, setDraft] = useState({ email: "", name: "", password: "" });
  const field = fieldsOf(draft, (change) => setDraft({ ...draft, ...change }));
  const settingUp = useMutation({
    mutationFn: () => hopline.setUp({ body: { token, ...draft } }),
    onSuccess: enter,
  });
  return (
    <Gate title={t.setUpHopline} about={t.createFirstAccountItOwns}>
      <Form values={draft} sending={settingUp} onSubmit={() => settingUp.mutate()}>
        <EmailField {...field("email")} />
        <NameField {...field("name")} required />
        <NewPasswordField label={t.newPassword} {...field("password")} required />
        <FormEnd submit={t.createAccount} isDisabled={token === ""} explainError={explainToken} />
      </Form>
    </Gate>
  );
}

/** Only for the person who asked for the change: the page is for people who are signed in. */
export function NewEmailPage() {
  const { token } = getRouteApi("/signed-in/account/email").useSearch();
  const { email } = useMe();
  const navigate = useNavigate();
  const confirming = useSending({
    send: (own) => own.confirmEmail({ body: { token } }),
    rereads: ["me"],
    onSent: () => navigate({ to: "/account", replace: true }),
  });
  return (
    <main className="page narrow">
      <PageHead title={t.yourNewEmailAddress} />
      <section className="card stack">
        <p>{t.itReplacesEmail(email)}</p>
        {confirming.isError && <TokenFault error={confirming.error} />}
        <div>
          <Button
            label={t.useNewAddress}
            kind="primary"
            disabled={confirming.isPending || token === ""}
            onClick={() => confirming.mutate()}
          />
        </div>
      </section>
    </main>
  );
}

function TokenFault({ error }: { readonly error: unknown }) {
  return explainToken(error) ?? <ErrorNote error={error} />;
}

function explainToken(error: unknown) {
  return hasCode(error, "token_invalid") ? (
    <Note kind="bad">
      {t.thisLinkHasBeenUsed} <Link to="/sign-in">{t.signIn}</Link> {t.anotherWayOrAskForNewLink}
    </Note>
  ) : null;
}

function NameField(props: Omit<TextFieldProps, "label">) {
  return <TextField {...props} label={t.yourName} name="name" autoComplete="name" maxLength={200} />;
}
