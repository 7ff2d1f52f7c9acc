/** Another email address for one's own account: it counts once its mailbox has been opened. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { faultsOf } from "../api.ts";
import { hopline } from "../caches.ts";
import { signInOptionsQuery, useMe } from "../queries.ts";
import { Button, TextField } from "../ui/controls.tsx";
import { ErrorNote, Note } from "../ui/notes.tsx";
import { onSend } from "./gate.tsx";

export function EmailCard() {
  const me = useMe();
  const { data: options } = useQuery(signInOptionsQuery);
  const [email, setEmail] = useState("");
  const asking = useMutation({ mutationFn: () => hopline.changeEmail({ body: { email } }) });
  const faults = faultsOf(asking.error);
  return (
    <section className="card">
      <form className="stack" onSubmit={onSend(() => asking.mutate())}>
        <h2>Email</h2>
        <p className="soft">{me.email}</p>
        {options?.email === false ? (
          <Note>This deployment sends no emails, so the address can&rsquo;t be changed.</Note>
        ) : (
          <div className="row end">
            <TextField
              label="New email address"
              type="email"
              autoComplete="email"
              value={email}
              onChange={(text) => {
                setEmail(text);
                asking.reset();
              }}
              error={faults.get("email")}
              required
            />
            <Button type="submit" disabled={asking.isPending || asking.isSuccess}>
              Send a link there
            </Button>
          </div>
        )}
        {asking.isSuccess && (
          <Note kind="good">
            Open the link in the email to {email}. Until then nothing changes; an address that has an account
            gets none.
          </Note>
        )}
        {asking.isError && faults.size === 0 && <ErrorNote error={asking.error} />}
      </form>
    </section>
  );
}
