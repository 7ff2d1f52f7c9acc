/** The ways in which a person can sign in: which there are, connecting an identity provider, giving one up. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { Building2, KeyRound, Mail, RectangleEllipsis } from "lucide-react";
import { hopline } from "../caches.ts";
import { formatDate } from "../format.ts";
import { askAll, signInOptionsQuery } from "../queries.ts";
import { Button } from "../ui/controls.tsx";
import { ErrorNote, Note, Waiting } from "../ui/page.tsx";
import { useSending } from "../use-sending.ts";
import { signInWith } from "./enter.ts";
import { t } from "./words.ts";

const ICONS = { email: Mail, password: RectangleEllipsis, provider: Building2, passkey: KeyRound } as const;

export function SignInMethodsCard() {
  const methods = useQuery(askAll(["sign-in-methods"], (own) => own.listSignInMethods()));
  const { data: options } = useQuery(signInOptionsQuery);
  const removing = useSending({
    send: (_own, accountId: string) => hopline.deleteSignInMethod({ accountId }),
    rereads: ["sign-in-methods", "me"],
  });
  // It comes back signed in with the provider, which connects the two if it vouches for this account's address.
  const connecting = useMutation({ mutationFn: (provider: string) => signInWith(provider, "/account") });
  const connected = new Set(methods.data?.map(({ provider }) => provider));
  const others = (options?.providers ?? []).filter(({ id }) => !connected.has(id));
  return (
    <section className="card stack">
      <h2>{t.waysToSignIn}</h2>
      <Waiting query={methods} />
      {methods.data?.length === 0 && <Note kind="warn">{t.noneYetOnceYourSessionsEnd}</Note>}
      <ul className="stack tight">
        {methods.data?.map(({ id, kind, name, createdAt }) => {
          const Icon = ICONS[kind];
          return (
            <li key={id} className="row">
              <Icon size={16} aria-hidden />
              <span className="cut">{kind === "email" ? t.linkToName(name) : name}</span>
              {createdAt !== null && (
                <span className="soft small">{t.sinceCreatedAtOfCreatedAt(formatDate(createdAt))}</span>
              )}
              {/* Passkeys have a list of their own. */}
              {id !== null && (kind === "password" || kind === "provider") && (
                <Button
                  label={kind === "password" ? t.removePassword : t.unlinkName(name)}
                  isSmall
                  className="spread"
                  disabled={removing.isPending}
                  onClick={() => removing.mutate(id)}
                />
              )}
            </li>
          );
        })}
      </ul>
      {methods.isSuccess && others.length > 0 && (
        <div className="row wrap">
          {others.map(({ id, name }) => (
            <Button
              label={t.connectName(name)}
              key={id}
              isSmall
              disabled={connecting.isPending}
              onClick={() => connecting.mutate(id)}
            />
          ))}
        </div>
      )}
      {removing.isError && <ErrorNote error={removing.error} />}
      {connecting.isError && <ErrorNote error={connecting.error} />}
    </section>
  );
}
