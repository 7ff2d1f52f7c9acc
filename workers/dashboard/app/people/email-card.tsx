/** Another email address for one's own account: it counts once its mailbox has been opened. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { hopline } from "../caches.ts";
import { signInOptionsQuery, useMe } from "../queries.ts";
import { TextField } from "../ui/controls.tsx";
import { Form, FormState, SubmitButton } from "../ui/form.tsx";
import { Note } from "../ui/page.tsx";
import { t } from "./words.ts";

export function EmailCard() {
  const me = useMe();
  const { data: options } = useQuery(signInOptionsQuery);
  const [email, setEmail] = useState("");
  const asking = useMutation({ mutationFn: () => hopline.changeEmail({ body: { email } }) });
  return (
    <section className="card">
      <Form values={{ email }} sending={asking} onSubmit={() => asking.mutate()}>
        <h2>{t.email}</h2>
        <p className="soft">{me.email}</p>
        {options?.email === false ? (
          <Note>{t.thisDeploymentSends}</Note>
        ) : (
          <div className="row end">
            <TextField
              label={t.newEmailAddress}
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
            <SubmitButton submit={t.sendConfirmationEmail} isDisabled={asking.isSuccess} />
          </div>
        )}
        {asking.isSuccess && <Note kind="good">{t.openLinkInEmailOfEmail(email)}</Note>}
        <FormState />
      </Form>
    </section>
  );
}
