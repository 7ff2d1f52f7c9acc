/** Signing in: with a password, a passkey, an identity provider, or by a link in an email. What is not set up is not there. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { KeyRound, MailCheck } from "lucide-react";
import { useState } from "react";
import { faultsOf, hopline } from "../api.ts";
import { Button, TextField } from "../ui/controls.tsx";
import { ErrorNote, Note } from "../ui/notes.tsx";
import { useEnter } from "./enter.ts";
import { Gate, onSend } from "./gate.tsx";
import { HAS_PASSKEYS, isCancelled, signInWithPasskey } from "./passkey.ts";

const route = getRouteApi("/sign-in");

export function SignInPage() {
  const { next, ended } = route.useSearch();
  const enter = useEnter(next);
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const signingIn = useMutation({
    mutationFn: () => hopline.signIn({ body: { email, password } }),
    onSuccess: enter,
  });
  const asking = useMutation({ mutationFn: () => hopline.requestSignInLink({ body: { email } }) });
  const withPasskey = useMutation({ mutationFn: signInWithPasskey, onSuccess: enter });
  const withProvider = useMutation({
    mutationFn: (provider: string) =>
      hopline.startSignIn({ body: { provider, ...(next === undefined ? {} : { returnTo: next }) } }),
    onSuccess: ({ location: address }) => location.assign(address),
  });
  const { data: options } = useQuery({
    queryKey: ["sign-in-options"],
    queryFn: () => hopline.readSignInOptions(),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const ways = [signingIn, asking, withPasskey, withProvider];
  /** One at a time, and only what the last one said. */
  const start = (begin: () => void) => {
    ways.forEach((way) => way.reset());
    begin();
  };
  if (asking.isSuccess) {
    return (
      <Gate title="Look into your mailbox" about={<>If {email} may sign in here, a link is on its way.</>}>
        <Note kind="good">
          <MailCheck size={16} aria-hidden /> It works once. Without it, look into the spam folder before you
          ask again.
        </Note>
        <Button onClick={() => asking.reset()}>Back</Button>
      </Gate>
    );
  }
  const isBusy = ways.some(({ isPending }) => isPending);
  const failed = ways.find(({ error }) => error !== null)?.error ?? null;
  const error = isCancelled(failed) ? null : failed;
  const faults = faultsOf(error);
  return (
    <Gate title="Sign in">
      {ended !== undefined && error === null && (
        <Note>Your session has ended. Sign in, and you are back where you were.</Note>
      )}
      <form className="stack" onSubmit={onSend(() => start(() => signingIn.mutate()))}>
        <TextField
          label="Email"
          type="email"
          name="email"
          autoComplete="username"
          value={email}
          onChange={setEmail}
          error={faults.get("email")}
          required
          autoFocus
        />
        <TextField
          label="Password"
          type="password"
          name="password"
          autoComplete="current-password"
          value={password}
          onChange={setPassword}
          error={faults.get("password")}
          required
        />
        {error !== null && faults.size === 0 && <ErrorNote error={error} />}
        <Button kind="primary" type="submit" disabled={isBusy}>
          Sign in
        </Button>
      </form>
      <div className="stack tight other-ways">
        {HAS_PASSKEYS && (
          <Button disabled={isBusy} onClick={() => start(() => withPasskey.mutate())}>
            <KeyRound size={16} aria-hidden /> Sign in with a passkey
          </Button>
        )}
        {(options?.providers ?? []).map(({ id, name }) => (
          <Button key={id} disabled={isBusy} onClick={() => start(() => withProvider.mutate(id))}>
            Continue with {name}
          </Button>
        ))}
        {options?.email === true && (
          <Button kind="quiet" disabled={email === "" || isBusy} onClick={() => start(() => asking.mutate())}>
            Send me a link instead
          </Button>
        )}
      </div>
    </Gate>
  );
}
