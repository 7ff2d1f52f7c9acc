/**
 * Pages that links with a one-time token lead to: signing in, an invitation, the first account of a deployment. Loading one uses
 * nothing up, because programs that read mail load pages, too; its button does.
 */
import { useMutation } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { faultsOf, hasCode, hopline } from "../api.ts";
import { Button, TextField } from "../ui/controls.tsx";
import { ErrorNote, Note } from "../ui/notes.tsx";
import { useEnter } from "./enter.ts";
import { Gate, onSend } from "./gate.tsx";

export function OpenLinkPage() {
  const { token } = getRouteApi("/sign-in/link").useSearch();
  const enter = useEnter();
  const opening = useMutation({
    mutationFn: () => hopline.openSignInLink({ body: { token } }),
    onSuccess: enter,
  });
  return (
    <Gate title="Sign in" about="With the link that you asked for. It works once.">
      {opening.isError && <TokenFault error={opening.error} />}
      <Button
        kind="primary"
        disabled={opening.isPending || token === ""}
        onClick={() => opening.mutate()}
        autoFocus
      >
        Sign in
      </Button>
    </Gate>
  );
}

export function InvitationPage() {
  const { token } = getRouteApi("/invitation").useSearch();
  const enter = useEnter();
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const accepting = useMutation({
    mutationFn: () =>
      hopline.acceptInvitation({
        body: { token, ...(name === "" ? {} : { name }), ...(password === "" ? {} : { password }) },
      }),
    onSuccess: enter,
  });
  const faults = faultsOf(accepting.error);
  return (
    <Gate title="You are invited" about="Choose a name and a password for your account, and you are in.">
      <form className="stack" onSubmit={onSend(() => accepting.mutate())}>
        <TextField
          label="Your name"
          name="name"
          autoComplete="name"
          value={name}
          onChange={setName}
          error={faults.get("name")}
          maxLength={200}
        />
        <TextField
          label="New password"
          hint="10 characters or more. Without one you sign in by links in emails."
          type="password"
          name="password"
          autoComplete="new-password"
          value={password}
          onChange={setPassword}
          error={faults.get("password")}
        />
        {hasCode(accepting.error, "sign_in_first") ? (
          <Note>
            There is an account with this address: <Link to="/sign-in">sign in</Link>, then open the link of
            the email again.
          </Note>
        ) : (
          accepting.isError && faults.size === 0 && <TokenFault error={accepting.error} />
        )}
        <Button kind="primary" type="submit" disabled={accepting.isPending || token === ""}>
          Accept the invitation
        </Button>
      </form>
      <p className="small soft">
        If you have an account, <Link to="/sign-in">sign in</Link> first, and leave both empty.
      </p>
    </Gate>
  );
}

export function SetUpPage() {
  const { token } = getRouteApi("/set-up").useSearch();
  const enter = useEnter();
  const [email, setEmail] = useState("");
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const settingUp = useMutation({
    mutationFn: () => hopline.setUp({ body: { token, email, name, password } }),
    onSuccess: enter,
  });
  const faults = faultsOf(settingUp.error);
  return (
    <Gate title="Set up Hopline" about="Make the first account. It owns this deployment.">
      <form className="stack" onSubmit={onSend(() => settingUp.mutate())}>
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
          label="Your name"
          name="name"
          autoComplete="name"
          value={name}
          onChange={setName}
          error={faults.get("name")}
          required
          maxLength={200}
        />
        <TextField
          label="New password"
          hint="10 characters or more."
          type="password"
          name="password"
          autoComplete="new-password"
          value={password}
          onChange={setPassword}
          error={faults.get("password")}
          minLength={10}
          required
        />
        {settingUp.isError && faults.size === 0 && <TokenFault error={settingUp.error} />}
        <Button kind="primary" type="submit" disabled={settingUp.isPending || token === ""}>
          Make the account
        </Button>
      </form>
    </Gate>
  );
}

function TokenFault({ error }: { readonly error: unknown }) {
  return hasCode(error, "token_invalid") ? (
    <Note kind="bad">
      This link has been used, or is too old. <Link to="/sign-in">Sign in</Link> in another way, or ask for a
      new one.
    </Note>
  ) : (
    <ErrorNote error={error} />
  );
}
