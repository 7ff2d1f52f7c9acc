/** Signing in with a password, or by a link in an email. */
import { useMutation } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { MailCheck } from "lucide-react";
import { useState } from "react";
import { faultsOf, hopline } from "../api.ts";
import { Button, TextField } from "../ui/controls.tsx";
import { ErrorNote, Note } from "../ui/notes.tsx";
import { useEnter } from "./enter.ts";
import { Gate, onSend } from "./gate.tsx";

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
  const error = signingIn.error ?? asking.error;
  const faults = faultsOf(error);
  return (
    <Gate title="Sign in">
      {ended !== undefined && error === null && (
        <Note>Your session has ended. Sign in, and you are back where you were.</Note>
      )}
      <form className="stack" onSubmit={onSend(() => signingIn.mutate())}>
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
        <Button kind="primary" type="submit" disabled={signingIn.isPending}>
          Sign in
        </Button>
      </form>
      <Button
        kind="quiet"
        disabled={email === "" || asking.isPending}
        onClick={() => {
          signingIn.reset();
          asking.mutate();
        }}
      >
        Send me a link instead
      </Button>
    </Gate>
  );
}
