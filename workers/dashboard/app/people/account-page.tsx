/** One's own account: name, theme and time zone, ways to sign in, sessions, its end. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { formatDateTime } from "../format.ts";
import { deviceZone, setPreferences, usePreferences } from "../preferences.ts";
import { askAll, useMe } from "../queries.ts";
import { Button, choicesOf, fieldsOf, SelectField, TextField } from "../ui/controls.tsx";
import { Form, FormEnd } from "../ui/form.tsx";
import { PageHead, Waiting } from "../ui/page.tsx";
import { ChoiceField } from "../ui/tokens-field.tsx";
import { useKept } from "../ui/use-kept.ts";
import { useSending } from "../use-sending.ts";
import { DeleteAccountCard } from "./delete-account-card.tsx";
import { EmailCard } from "./email-card.tsx";
import { NewPasswordField } from "./new-password-field.tsx";
import { PasskeysCard } from "./passkeys-card.tsx";
import { SignInMethodsCard } from "./sign-in-methods-card.tsx";
import { THEME_NAMES, shared } from "../words.ts";
import { t } from "./words.ts";

export function AccountPage() {
  return (
    <main className="page narrow">
      <PageHead title={t.account} />
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
  const saving = useSending({
    send: (own) => own.updateMe({ body: draft }),
    said: t.nameSaved,
    onSent: (saved) => {
      forget();
      queryClient.setQueryData(["me"], saved);
    },
  });
  return (
    <section className="card">
      <Form values={draft} sending={saving} onSubmit={() => saving.mutate()}>
        <h2>{t.you}</h2>
        <TextField label={shared.name} {...fieldsOf(draft, set)("name")} autoComplete="name" required />
        <FormEnd submit={t.saveName} isDisabled={draft.name === me.name} />
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
      <h2>{t.display}</h2>
      <p className="soft">{t.keptInThisBrowser}</p>
      <SelectField
        label={t.theme}
        value={theme}
        onChange={(chosen) => setPreferences({ theme: chosen })}
        choices={choicesOf(THEME_NAMES)}
      />
      <ChoiceField
        label={t.timeZone}
        hint={t.forAllDatesAndForDays}
        placeholder={t.asYourDeviceDeviceZone(deviceZone().replaceAll("_", " "))}
        value={chosenZone ?? ""}
        onChange={(zone) => setPreferences({ chosenZone: zone === "" ? null : zone })}
        choices={ZONES}
      />
    </section>
  );
}

const NO_PASSWORDS = { currentPassword: "", newPassword: "" };

function PasswordCard() {
  const me = useMe();
  const [draft, setDraft] = useState(NO_PASSWORDS);
  const field = fieldsOf(draft, (change) => setDraft({ ...draft, ...change }));
  const { currentPassword, newPassword } = draft;
  const saving = useSending({
    send: (own) =>
      own.setPassword({ body: { newPassword, ...(currentPassword === "" ? {} : { currentPassword }) } }),
    said: t.passwordSaved,
    rereads: ["me", "sign-in-methods"],
    onSent: () => setDraft(NO_PASSWORDS),
  });
  return (
    <section className="card">
      <Form values={draft} sending={saving} onSubmit={() => saving.mutate()}>
        <h2>{t.password}</h2>
        {me.hasPassword && (
          <TextField
            label={t.currentPassword}
            hint={t.notNeededWithinFifteen}
            type="password"
            autoComplete="current-password"
            {...field("currentPassword")}
          />
        )}
        <NewPasswordField label={t.newPassword} {...field("newPassword")} required />
        <FormEnd submit={t.savePassword} isDisabled={newPassword === ""} />
      </Form>
    </section>
  );
}

function SessionsCard() {
  const { timeZone } = usePreferences();
  const sessions = useQuery(askAll(["sessions"], (own) => own.listSessions()));
  const ending = useSending({
    send: (own, sessionId: string | "others") =>
      sessionId === "others" ? own.deleteOtherSessions() : own.deleteSession({ sessionId }),
    rereads: ["sessions"],
    isBare: true,
  });
  return (
    <section className="card stack">
      <div className="row">
        <h2>{t.sessions}</h2>
        <Button
          label={t.signOutOtherSessions}
          isSmall
          className="spread"
          disabled={(sessions.data ?? []).length < 2 || ending.isPending}
          onClick={() => ending.mutate("others")}
        />
      </div>
      <Waiting query={sessions} />
      <ul className="stack tight">
        {sessions.data?.map(({ id, isCurrent, createdAt, expiresAt }) => (
          <li key={id} className="row wrap">
            <span className={`status ${isCurrent ? "good" : ""}`}>
              {isCurrent ? t.thisDevice : t.anotherBrowser}
            </span>
            <span className="soft small">
              {t.sinceCreatedAt(formatDateTime(createdAt, timeZone), formatDateTime(expiresAt, timeZone))}
            </span>
            {!isCurrent && (
              <Button label={t.end} isSmall className="spread" onClick={() => ending.mutate(id)} />
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
