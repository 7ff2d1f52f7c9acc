/** One's own account: name, theme and time zone, ways to sign in, sessions, its end. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { hopline } from "../caches.ts";
import { formatDateTime } from "../format.ts";
import { deviceZone, setPreferences, THEME_NAMES, THEMES, usePreferences } from "../preferences.ts";
import { useMe } from "../queries.ts";
import { PageHead } from "../shell/page-head.tsx";
import { Button, SelectField, TextField } from "../ui/controls.tsx";
import { Form, FormEnd } from "../ui/form.tsx";
import { ErrorNote, Skeleton } from "../ui/notes.tsx";
import { ChoiceField } from "../ui/tokens-field.tsx";
import { say } from "../ui/toasts.ts";
import { useKept } from "../ui/use-kept.ts";
import { useSending } from "../use-sending.ts";
import { DeleteAccountCard } from "./delete-account-card.tsx";
import { EmailCard } from "./email-card.tsx";
import { NewPasswordField } from "./new-password-field.tsx";
import { PasskeysCard } from "./passkeys-card.tsx";
import { SignInMethodsCard } from "./sign-in-methods-card.tsx";

export function AccountPage() {
  return (
    <main className="page narrow">
      <PageHead title="Account" />
      <NameCard />
      <EmailCard />
      <DisplayCard />
      <SignInMethodsCard />
      <PasswordCard />
      <PasskeysCard />
      <SessionsCard />
      <DeleteAccountCard />
    </main>
  );
}

function NameCard() {
  const me = useMe();
  const queryClient = useQueryClient();
  const [draft, set, forget] = useKept("name", { name: me.name });
  const { name } = draft;
  const saving = useMutation({
    mutationFn: () => hopline.updateMe({ body: draft }),
    onSuccess: (saved) => {
      forget();
      queryClient.setQueryData(["me"], saved);
      say("Name saved.");
    },
  });
  return (
    <section className="card">
      <Form values={draft} sending={saving} onSubmit={() => saving.mutate()}>
        <h2>You</h2>
        <TextField
          label="Name"
          value={name}
          onChange={(text) => set({ name: text })}
          path="name"
          autoComplete="name"
          required
        />
        <FormEnd submit="Save name" isDisabled={name === me.name} />
      </Form>
    </section>
  );
}

const ZONES = Intl.supportedValuesOf("timeZone").map((zone) => ({
  value: zone,
  label: zone.replaceAll("_", " "),
}));

function DisplayCard() {
  const { theme, chosenZone } = usePreferences();
  return (
    <section className="card stack">
      <h2>Display</h2>
      <p className="soft">Kept in this browser.</p>
      <SelectField
        label="Theme"
        value={theme}
        onChange={(chosen) => setPreferences({ theme: chosen })}
        choices={THEMES.map((value) => ({ value, label: THEME_NAMES[value] }))}
      />
      <ChoiceField
        label="Time zone"
        hint="Of all dates, and of the days that clicks are counted by. Empty: that of your device."
        placeholder={`As your device: ${deviceZone().replaceAll("_", " ")}`}
        value={chosenZone ?? ""}
        onChange={(zone) => setPreferences({ chosenZone: zone === "" ? null : zone })}
        choices={ZONES}
      />
    </section>
  );
}

function PasswordCard() {
  const me = useMe();
  const [currentPassword, setCurrent] = useState("");
  const [newPassword, setNew] = useState("");
  const saving = useSending({
    send: () =>
      hopline.setPassword({ body: { newPassword, ...(currentPassword === "" ? {} : { currentPassword }) } }),
    said: "Password saved.",
    rereads: ["me", "sign-in-methods"],
    onSent: () => {
      setCurrent("");
      setNew("");
    },
  });
  return (
    <section className="card">
      <Form values={{ currentPassword, newPassword }} sending={saving} onSubmit={() => saving.mutate()}>
        <h2>Password</h2>
        {me.hasPassword && (
          <TextField
            label="Current password"
            hint="Not needed within fifteen minutes of signing in."
            type="password"
            autoComplete="current-password"
            value={currentPassword}
            onChange={setCurrent}
            path="currentPassword"
          />
        )}
        <NewPasswordField
          label="New password"
          value={newPassword}
          onChange={setNew}
          path="newPassword"
          required
        />
        <FormEnd submit="Save password" isDisabled={newPassword === ""} />
      </Form>
    </section>
  );
}

function SessionsCard() {
  const { timeZone } = usePreferences();
  const sessions = useQuery({
    queryKey: ["sessions"],
    queryFn: () => Array.fromAsync(hopline.listSessions()),
  });
  const rereads = ["sessions"];
  const ending = useSending({
    send: (_own, sessionId: string) => hopline.deleteSession({ sessionId }),
    rereads,
    isBare: true,
  });
  const endingOthers = useSending({ send: () => hopline.deleteOtherSessions(), rereads, isBare: true });
  return (
    <section className="card stack">
      <div className="row">
        <h2>Sessions</h2>
        <Button
          isSmall
          className="spread"
          disabled={(sessions.data ?? []).length < 2 || endingOthers.isPending}
          onClick={() => endingOthers.mutate()}
        >
          Sign out other sessions
        </Button>
      </div>
      {sessions.isPending && <Skeleton />}
      {sessions.isError && <ErrorNote error={sessions.error} onRetry={() => void sessions.refetch()} />}
      {sessions.data !== undefined && (
        <ul className="stack tight">
          {sessions.data.map(({ id, isCurrent, createdAt, expiresAt }) => (
            <li key={id} className="row wrap">
              <span className={`status ${isCurrent ? "good" : ""}`}>
                {isCurrent ? "This device" : "Another browser"}
              </span>
              <span className="soft small">
                since {formatDateTime(createdAt, timeZone)}, until {formatDateTime(expiresAt, timeZone)}
              </span>
              {!isCurrent && (
                <Button isSmall className="spread" onClick={() => ending.mutate(id)}>
                  End
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
