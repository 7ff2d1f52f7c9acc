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
import { BoundsFields, NO_BOUNDS, toBounds } from "./bounds-fields.tsx";
import { describeBounds, describeKey, type Scope } from "./describe-key.ts";
import { SCOPES } from "./words.ts";

const DAY_MS = 86_400_000;

export function KeysPage() {
  return useMay("admin") ? <KeysList /> : <AdminsOnly title="API keys" what="manage API keys" />;
}

function KeysList() {
  const keys = useQuery(keysQuery);
  const [isMaking, setMaking] = useState(false);
  const [rotated, setRotated] = useState<Key | null>(null);
  const [revoked, setRevoked] = useState<Key | null>(null);
  const columns: readonly Column<Key>[] = [
    { name: "Name", cell: ({ name }) => <strong>{name}</strong> },
    { name: "Key", className: "mono", cell: ({ prefix }) => `${prefix}…` },
    {
      name: "Scopes",
      className: "small",
      cell: ({ scopes, bounds }) => (
        <>
          {SCOPES.flatMap(({ scope, short }) => (scopes.includes(scope) ? short : [])).join(", ")}
          {bounds !== null && <div className="soft">only links {describeBounds(bounds)}</div>}
        </>
      ),
    },
    { name: "Created", className: "small soft when", cell: ({ createdAt }) => formatDate(createdAt) },
    {
      name: "Last used",
      className: "small soft when",
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : formatAgo(lastUsedAt, Date.now())),
    },
    { name: "State", cell: (key) => <KeyState of={key} /> },
    {
      name: "Change",
      isUnnamed: true,
      cell: (key) =>
        stateOf(key) === "active" && (
          <span className="row">
            <IconButton icon={RotateCw} label={`Replace ${key.name}`} onClick={() => setRotated(key)} />
            <IconButton icon={Trash2} label={`Revoke ${key.name}`} isDanger onClick={() => setRevoked(key)} />
          </span>
        ),
    },
  ];
  return (
    <main className="page">
      <PageHead title="API keys" about="Let scripts and apps use the API.">
        <Button icon={Plus} label="New key" kind="primary" onClick={() => setMaking(true)} />
      </PageHead>
      <Waiting query={keys} lines={5} height={36} />
      {keys.data?.length === 0 && (
        <Empty icon={KeyRound} title="No API keys yet">
          A key lets a program use the API with the scopes that you give it. It never may more than you, and
          ends when you leave the workspace.
        </Empty>
      )}
      <TableCard label="Keys" columns={columns} rows={keys.data ?? []} />
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
      <span className={`status ${state === "active" ? "good" : "bad"}`}>{state}</span>
      {state === "active" && key.expiresAt !== null && (
        <div className="small soft">until {formatDateTime(key.expiresAt)}</div>
      )}
    </>
  );
}

function stateOf({ revokedAt, expiresAt }: Key): "active" | "revoked" | "expired" {
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
      title="New key"
      values={{ ...draft, expiresAt: days }}
      sending={making}
      submit="Create key"
      isDisabled={scopes.length === 0}
      onCancel={forget}
      onClose={onClose}
    >
      <TextField label="Name" {...fieldsOf(draft, set)("name")} required autoFocus />
      <fieldset className="plain stack tight">
        <legend className="field-label">Scopes</legend>
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
              Only create links <span className="soft small">from a web page, which may hold the key</span>
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
        label="Expires after"
        hint="90 days at most."
        value={days}
        onChange={(chosen) => set({ days: chosen })}
        path="expiresAt"
        choices={[1, 7, 30, 90].map((number) => ({ value: String(number), label: countOf(number, "day") }))}
      />
      <BoundsFields
        draft={draft.bounds}
        onChange={(change) => set({ bounds: { ...draft.bounds, ...change } })}
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
      name="the key"
      secret={made.key}
      advice="Keep it where your program reads it."
      onClose={onClose}
    >
      <div className="row">
        <span>Try it in a terminal:</span>
        <IconButton icon={Copy} label="Copy the command" onClick={() => void copy(line, "the command")} />
        <a className="spread" href="/api/docs">
          API documentation
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
      title={`Replace ${name}?`}
      button="Create a new key"
      send={(hopline) => hopline.rotateKey({ keyId: id, body: {} })}
      rereads={["keys"]}
      onSent={setMade}
      onClose={onClose}
    >
      You get a new key with the same scopes and the same links. The old one goes on working for a day, so
      that nothing stops meanwhile.
    </Confirm>
  );
}

function RevokeKey({ of: { id, name }, onClose }: KeyDialogProps) {
  return (
    <Confirm
      title={`Revoke ${name}?`}
      button="Revoke the key"
      send={(hopline) => hopline.revokeKey({ keyId: id })}
      said={`${name} revoked.`}
      rereads={["keys"]}
      onClose={onClose}
    >
      Programs that use it are refused from now on. A revoked key does not come back.
    </Confirm>
  );
}
