/** Another email address for one's own account: it counts once its mailbox has been opened. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { hopline } from "../caches.ts";
import { signInOptionsQuery, useMe } from "../queries.ts";
import { TextField } from "../ui/controls.tsx";
import { Form, FormState, SubmitButton } from "../ui/form.tsx";
import { Note } from "../ui/page.tsx";

export function EmailCard() {
  const me = useMe();
  const { data: options } = useQuery(signInOptionsQuery);
  const [email, setEmail] = useState("");
  const asking = useMutation({ mutationFn: () => hopline.changeEmail({ body: { email } }) });
  return (
    <section className="card">
      <Form values={{ email }} sending={asking} onSubmit={() => asking.mutate()}>
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
              path="email"
              required
            />
            <SubmitButton submit="Send confirmation email" isDisabled={asking.isSuccess} />
          </div>
        )}
        {asking.isSuccess && (
          <Note kind="good">
            Open the link in the email to {email}. Until then nothing changes; an address that has an account
            gets none.
          </Note>
        )}
        <FormState />
      </Form>
    </section>
  );
}
