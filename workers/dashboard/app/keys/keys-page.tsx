/** API keys of the workspace: made with the scopes that a program needs, shown once, replaced, revoked. */
import type { Key, NewKey } from "@hopline/client/openapi";
import { useQuery } from "@tanstack/react-query";
import { Copy, KeyRound, Plus, RotateCw, Trash2 } from "lucide-react";
import { useState } from "react";
import { countOf, formatAgo, formatDate, formatDateTime } from "../format.ts";
import { keysQuery, useMay } from "../queries.ts";
import { AdminsOnly } from "../shell/who-may.tsx";
import {
  Button,
  Checkbox,
  CheckList,
  FieldError,
  fieldsOf,
  IconButton,
  SelectField,
  TextField,
} from "../ui/controls.tsx";
import { copy } from "../ui/copy.ts";
import { type Column, TableCard } from "../ui/data-table.tsx";
import { Confirm, FormDialog, SecretDialog } from "../ui/modal.tsx";
import { Empty, PageHead, Waiting } from "../ui/page.tsx";
import { useKept } from "../ui/use-kept.ts";
import { useSending } from "../use-sending.ts";
import { NO_BOUNDS, toBounds } from "./bounds-draft.ts";
import { BoundsFields } from "./bounds-fields.tsx";
import { describeKey, type Scope } from "./describe-key.ts";
import { SCOPES, STATES, t } from "./words.ts";
import { shared } from "../words.ts";

const DAY_MS = 86_400_000;

export function KeysPage() {
  return useMay("admin") ? <KeysList /> : <AdminsOnly title={t.apiKeys} what={t.manageApiKeys} />;
}

function KeysList() {
  const keys = useQuery(keysQuery);
  const [isMaking, setMaking] = useState(false);
  const [rotated, setRotated] = useState<Key | null>(null);
  const [revoked, setRevoked] = useState<Key | null>(null);
  const columns: readonly Column<Key>[] = [
    { name: shared.name, cell: ({ name }) => <strong>{name}</strong> },
    { name: t.key, className: "mono", cell: ({ prefix }) => `${prefix}…` },
    {
      name: t.scopes,
      className: "small",
      cell: ({ scopes, bounds }) => (
        <>
          {SCOPES.flatMap(({ scope, short }) => (scopes.includes(scope) ? short : [])).join(", ")}
          {bounds !== null && <div className="soft">{describeKey(scopes, bounds)}</div>}
        </>
      ),
    },
    { name: shared.created, className: "small soft when", cell: ({ createdAt }) => formatDate(createdAt) },
    {
      name: t.lastUsed,
      className: "small soft when",
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? t.never : formatAgo(lastUsedAt, Date.now())),
    },
    { name: shared.state, cell: (key) => <KeyState of={key} /> },
    {
      name: shared.change,
      isUnnamed: true,
      cell: (key) =>
        stateOf(key) === "active" && (
          <span className="row">
            <IconButton icon={RotateCw} label={t.replaceKey(key.name)} onClick={() => setRotated(key)} />
            <IconButton
              icon={Trash2}
              label={t.revokeKey(key.name)}
              isDanger
              onClick={() => setRevoked(key)}
            />
          </span>
        ),
    },
  ];
  return (
    <main className="page">
      <PageHead title={t.apiKeys} about={t.letScriptsAndAppsUseApi}>
        <Button icon={Plus} label={t.newKey} kind="primary" onClick={() => setMaking(true)} />
      </PageHead>
      <Waiting query={keys} lines={5} height={36} />
      {keys.data?.length === 0 && (
        <Empty icon={KeyRound} title={t.noApiKeysYet}>
          {t.keyLetsProgramUseApi}
        </Empty>
      )}
      <TableCard label={t.keys} columns={columns} rows={keys.data ?? []} />
      {isMaking && <MakeKey onClose={() => setMaking(false)} />}
      {rotated !== null && <ReplaceKey of={rotated} onClose={() => setRotated(null)} />}
      {revoked !== null && <RevokeKey of={revoked} onClose={() => setRevoked(null)} />}
    </main>
  );
}

function KeyState({ of: key }: { readonly of: Key }) {
  const state = stateOf(key);
  return (
    <>
      <span className={`status ${state === "active" ? "good" : "bad"}`}>{STATES[state]}</span>
      {state === "active" && key.expiresAt !== null && (
        <div className="small soft">{t.untilExpiresAt(formatDateTime(key.expiresAt))}</div>
      )}
    </>
  );
}

function stateOf({ revokedAt, expiresAt }: Key): keyof typeof STATES {
  const isOver = expiresAt !== null && Date.parse(expiresAt) <= Date.now();
  return revokedAt !== null ? "revoked" : isOver ? "expired" : "active";
}

const NO_KEY = { name: "", scopes: ["links:read"] as readonly Scope[], days: "90", bounds: NO_BOUNDS };

function MakeKey({ onClose }: { readonly onClose: () => void }) {
  const [draft, set, forget] = useKept("new key", NO_KEY);
  const { name, scopes, days } = draft;
  const { isCreateOnly } = draft.bounds;
  const bounds = toBounds(draft.bounds);
  const making = useSending({
    send: (hopline) =>
      hopline.createKey({
        body: {
          name,
          scopes: [...scopes],
          expiresAt: new Date(Date.now() + Number(days) * DAY_MS).toISOString(),
          bounds,
        },
      }),
    onSent: forget,
    rereads: ["keys"],
  });
  if (making.data !== undefined) {
    return <ShowKey made={making.data} onClose={onClose} />;
  }
  return (
    <FormDialog
      title={t.newKey}
      values={{ ...draft, expiresAt: days }}
      sending={making}
      submit={t.createKey}
      isDisabled={scopes.length === 0}
      onCancel={forget}
      onClose={onClose}
    >
      <TextField label={shared.name} {...fieldsOf(draft, set)("name")} required autoFocus />
      <fieldset className="plain stack tight">
        <legend className="field-label">{t.scopes}</legend>
        <CheckList
          chosen={scopes}
          isDisabled={isCreateOnly}
          onChange={(chosen) => set({ scopes: chosen })}
          choices={SCOPES.map(({ scope, short, about }) => ({
            value: scope,
            label: (
              <>
                {short}{" "}
                <span className="soft small">
                  {about} (<code>{scope}</code>)
                </span>
              </>
            ),
          }))}
        />
        <Checkbox
          label={
            <>
              {t.onlyCreateLinks} <span className="soft small">{t.fromWebPageWhichMayHoldKey}</span>
            </>
          }
          isOn={isCreateOnly}
          onChange={(isOn) =>
            set({ scopes: ["links:write"], bounds: { ...draft.bounds, isCreateOnly: isOn } })
          }
        />
        <FieldError path="scopes" />
      </fieldset>
      <SelectField
        label={t.expiresAfter}
        hint={t.n90DaysAtMost}
        value={days}
        onChange={(chosen) => set({ days: chosen })}
        path="expiresAt"
        choices={[1, 7, 30, 90].map((number) => ({ value: String(number), label: countOf(number, "day") }))}
      />
      <BoundsFields
        draft={draft.bounds}
        onChange={(change) => set({ bounds: { ...draft.bounds, ...change } })}
        makers={t.thoseThatThisKeyCreated}
      />
      <p className="small" aria-live="polite">
        {describeKey(scopes, bounds)}
      </p>
    </FormDialog>
  );
}

function ShowKey({ made, onClose }: { readonly made: NewKey; readonly onClose: () => void }) {
  // Every key may ask what it is.
  const path = made.scopes.includes("links:read") ? "links?limit=1" : "me";
  const line = `curl '${location.origin}/api/v1/${path}' -H 'Authorization: Bearer ${made.key}'`;
  return (
    <SecretDialog
      title={made.name}
      name={t.theKey}
      secret={made.key}
      advice={t.keepItWhereYourProgram}
      onClose={onClose}
    >
      <div className="row">
        <span>{t.tryItInTerminal}</span>
        <IconButton icon={Copy} label={t.copyCommand} onClick={() => void copy(line, t.theCommand)} />
        <a className="spread" href="/api/docs">
          {t.apiDocumentation}
        </a>
      </div>
      <pre className="body">{line}</pre>
    </SecretDialog>
  );
}

type KeyDialogProps = { readonly of: Key; readonly onClose: () => void };

function ReplaceKey({ of: { id, name }, onClose }: KeyDialogProps) {
  const [made, setMade] = useState<NewKey | null>(null);
  return made !== null ? (
    <ShowKey made={made} onClose={onClose} />
  ) : (
    <Confirm
      title={t.askReplaceName(name)}
      button={t.createNewKey}
      send={(hopline) => hopline.rotateKey({ keyId: id, body: {} })}
      rereads={["keys"]}
      onSent={setMade}
      onClose={onClose}
    >
      {t.youGetNewKeyWithSameScopes}
    </Confirm>
  );
}

function RevokeKey({ of: { id, name }, onClose }: KeyDialogProps) {
  return (
    <Confirm
      title={t.askRevokeName(name)}
      button={t.revokeKeyButton}
      send={(hopline) => hopline.revokeKey({ keyId: id })}
      said={t.nameRevoked(name)}
      rereads={["keys"]}
      onClose={onClose}
    >
      {t.programsThatUse}
    </Confirm>
  );
}
