/** API keys of the workspace: made with the scopes that a program needs, shown once, replaced, revoked. */
import type { Key, NewKey } from "@hopline/client/openapi";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Copy, KeyRound, Plus, RotateCw, Trash2 } from "lucide-react";
import { useState } from "react";
import "../styles/webhooks.css";
import { useHopline } from "../caches.ts";
import { formatAgo, formatDate, formatDateTime } from "../format.ts";
import { usePreferences } from "../preferences.ts";
import { useMay } from "../queries.ts";
import { AdminsOnly } from "../shell/admins-only.tsx";
import { PageHead } from "../shell/page-head.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { Button, FieldError, IconButton, SelectField, TextField } from "../ui/controls.tsx";
import { copy } from "../ui/copy.ts";
import { Form, FormEnd } from "../ui/form.tsx";
import { Modal } from "../ui/modal.tsx";
import { Empty, ErrorNote, Skeleton } from "../ui/notes.tsx";
import { SecretDialog } from "../ui/secret-dialog.tsx";
import { say } from "../ui/toasts.ts";
import { useKept } from "../ui/use-kept.ts";
import { BoundsFields, NO_BOUNDS, toBounds } from "./bounds-fields.tsx";
import { describeBounds, describeKey, type Scope } from "./describe-key.ts";

const SCOPES = [
  { scope: "links:read", short: "Read links", about: "and tags, folders, domains" },
  { scope: "links:write", short: "Edit links", about: "create, change and delete them" },
  { scope: "analytics:read", short: "Read analytics", about: "clicks and counts" },
  { scope: "admin", short: "Manage", about: "keys, domains and the workspace" },
] as const;

const DAY_MS = 86_400_000;

export function KeysPage() {
  return useMay("admin") ? <KeysList /> : <AdminsOnly title="API keys" what="manage API keys" />;
}

function KeysList() {
  const hopline = useHopline();
  const { timeZone } = usePreferences();
  const keys = useQuery({
    queryKey: ["keys"],
    queryFn: () => Array.fromAsync(hopline.listKeys({ limit: 100 })),
  });
  const [isMaking, setMaking] = useState(false);
  const [rotated, setRotated] = useState<Key | null>(null);
  const [revoked, setRevoked] = useState<Key | null>(null);
  return (
    <main className="page">
      <PageHead title="API keys" about="Let scripts and apps use the API.">
        <Button kind="primary" onClick={() => setMaking(true)}>
          <Plus size={16} aria-hidden /> New key
        </Button>
      </PageHead>
      {keys.isPending && <Skeleton lines={5} height={36} />}
      {keys.isError && <ErrorNote error={keys.error} onRetry={() => void keys.refetch()} />}
      {keys.data?.length === 0 && (
        <Empty icon={<KeyRound size={28} aria-hidden />} title="No API keys yet">
          A key lets a program use the API with the scopes that you give it. It belongs to the workspace, and
          stays when its maker leaves.
        </Empty>
      )}
      {keys.data !== undefined && keys.data.length > 0 && (
        <section className="card scroll-x" tabIndex={0} aria-label="Keys">
          <table className="plain-table stacked">
            <thead>
              <tr>
                <th>Name</th>
                <th>Key</th>
                <th>Scopes</th>
                <th>Created</th>
                <th>Last used</th>
                <th>State</th>
                <th>
                  <span className="hidden-label">Change</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {keys.data.map((key) => {
                const state = stateOf(key, Date.now());
                return (
                  <tr key={key.id}>
                    <td>
                      <strong>{key.name}</strong>
                    </td>
                    <td className="mono" data-label="Key">
                      {key.prefix}…
                    </td>
                    <td className="small" data-label="Scopes">
                      {SCOPES.flatMap(({ scope, short }) => (key.scopes.includes(scope) ? short : [])).join(
                        ", ",
                      )}
                      {key.bounds !== null && (
                        <div className="soft">only links {describeBounds(key.bounds)}</div>
                      )}
                    </td>
                    <td className="small soft when" data-label="Created">
                      {formatDate(key.createdAt, timeZone)}
                    </td>
                    <td className="small soft when" data-label="Last used">
                      {key.lastUsedAt === null ? "never" : formatAgo(key.lastUsedAt, Date.now())}
                    </td>
                    <td data-label="State">
                      <span className={`status ${state === "active" ? "good" : "bad"}`}>{state}</span>
                      {state === "active" && key.expiresAt !== null && (
                        <div className="small soft">until {formatDateTime(key.expiresAt, timeZone)}</div>
                      )}
                    </td>
                    <td>
                      {state === "active" && (
                        <span className="row">
                          <IconButton label={`Replace ${key.name}`} isSmall onClick={() => setRotated(key)}>
                            <RotateCw size={15} aria-hidden />
                          </IconButton>
                          <IconButton
                            label={`Revoke ${key.name}`}
                            isSmall
                            isDanger
                            onClick={() => setRevoked(key)}
                          >
                            <Trash2 size={15} aria-hidden />
                          </IconButton>
                        </span>
                      )}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </section>
      )}
      {isMaking && <MakeKey onClose={() => setMaking(false)} />}
      {rotated !== null && <ReplaceKey replaced={rotated} onClose={() => setRotated(null)} />}
      {revoked !== null && <RevokeKey revoked={revoked} onClose={() => setRevoked(null)} />}
    </main>
  );
}

function stateOf({ revokedAt, expiresAt }: Key, nowMs: number): "active" | "revoked" | "expired" {
  if (revokedAt !== null) {
    return "revoked";
  }
  return expiresAt !== null && Date.parse(expiresAt) <= nowMs ? "expired" : "active";
}

function useReadKeysAgain() {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: ["keys"] });
}

const NO_KEY = {
  name: "",
  scopes: ["links:read"] as readonly Scope[],
  days: "90",
  bounds: NO_BOUNDS,
};

function MakeKey({ onClose }: { readonly onClose: () => void }) {
  const hopline = useHopline();
  const readAgain = useReadKeysAgain();
  const [draft, set, forget] = useKept("new key", NO_KEY);
  const { name, scopes, days } = draft;
  const { isCreateOnly } = draft.bounds;
  const bounds = toBounds(draft.bounds);
  const making = useMutation({
    mutationFn: () =>
      hopline.createKey({
        body: {
          name,
          scopes: [...scopes],
          expiresAt: new Date(Date.now() + Number(days) * DAY_MS).toISOString(),
          bounds,
        },
      }),
    onSuccess: () => {
      forget();
      return readAgain();
    },
  });
  if (making.data !== undefined) {
    return <ShowKey made={making.data} onClose={onClose} />;
  }
  return (
    <Modal title="New key" isOpen onClose={onClose}>
      <Form values={{ ...draft, expiresAt: days }} sending={making} onSubmit={() => making.mutate()}>
        <TextField
          label="Name"
          value={name}
          onChange={(text) => set({ name: text })}
          path="name"
          required
          autoFocus
        />
        <fieldset className="plain stack tight">
          <legend className="field-label">Scopes</legend>
          {SCOPES.map(({ scope, short, about }) => (
            <label key={scope} className="row">
              <input
                type="checkbox"
                className="checkbox"
                checked={scopes.includes(scope)}
                disabled={isCreateOnly}
                onChange={() =>
                  set({
                    scopes: scopes.includes(scope)
                      ? scopes.filter((one) => one !== scope)
                      : [...scopes, scope],
                  })
                }
              />
              <span>
                {short}{" "}
                <span className="soft small">
                  {about} (<code>{scope}</code>)
                </span>
              </span>
            </label>
          ))}
          <label className="row">
            <input
              type="checkbox"
              className="checkbox"
              checked={isCreateOnly}
              onChange={() =>
                set({ scopes: ["links:write"], bounds: { ...draft.bounds, isCreateOnly: !isCreateOnly } })
              }
            />
            <span>
              Only create links <span className="soft small">from a web page, which may hold the key</span>
            </span>
          </label>
          <FieldError path="scopes" />
        </fieldset>
        <SelectField
          label="Expires after"
          hint="90 days at most."
          value={days}
          onChange={(chosen) => set({ days: chosen })}
          path="expiresAt"
          choices={["1", "7", "30", "90"].map((value) => ({
            value,
            label: value === "1" ? "1 day" : `${value} days`,
          }))}
        />
        <BoundsFields
          draft={draft.bounds}
          onChange={(change) => set({ bounds: { ...draft.bounds, ...change } })}
        />
        <p className="small" aria-live="polite">
          {describeKey(scopes, bounds)}
        </p>
        <FormEnd
          submit="Create key"
          isDisabled={scopes.length === 0}
          onCancel={() => {
            forget();
            onClose();
          }}
        />
      </Form>
    </Modal>
  );
}

/** Every key may ask what it is. */
const FIRST_CALLS = { "links:read": "links?limit=1", any: "me" } as const;

function ShowKey({ made, onClose }: { readonly made: NewKey; readonly onClose: () => void }) {
  const path = FIRST_CALLS[made.scopes.includes("links:read") ? "links:read" : "any"];
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
        <IconButton label="Copy the command" isSmall onClick={() => void copy(line, "the command")}>
          <Copy size={14} aria-hidden />
        </IconButton>
        <a className="spread" href="/api/docs">
          API documentation
        </a>
      </div>
      <pre className="body">{line}</pre>
    </SecretDialog>
  );
}

function ReplaceKey({ replaced, onClose }: { readonly replaced: Key; readonly onClose: () => void }) {
  const hopline = useHopline();
  const readAgain = useReadKeysAgain();
  const replacing = useMutation({
    mutationFn: () => hopline.rotateKey({ keyId: replaced.id, body: {} }),
    onSuccess: readAgain,
  });
  return replacing.data !== undefined ? (
    <ShowKey made={replacing.data} onClose={onClose} />
  ) : (
    <Confirm
      title={`Replace ${replaced.name}?`}
      button="Create a new key"
      onConfirm={() => replacing.mutate()}
      onClose={onClose}
      isPending={replacing.isPending}
      error={replacing.error}
    >
      You get a new key with the same scopes and the same links. The old one goes on working for a day, so
      that nothing stops meanwhile.
    </Confirm>
  );
}

function RevokeKey({ revoked, onClose }: { readonly revoked: Key; readonly onClose: () => void }) {
  const hopline = useHopline();
  const readAgain = useReadKeysAgain();
  const revoking = useMutation({
    mutationFn: () => hopline.revokeKey({ keyId: revoked.id }),
    onSuccess: async () => {
      onClose();
      say(`${revoked.name} revoked.`);
      await readAgain();
    },
  });
  return (
    <Confirm
      title={`Revoke ${revoked.name}?`}
      button="Revoke the key"
      onConfirm={() => revoking.mutate()}
      onClose={onClose}
      isPending={revoking.isPending}
      error={revoking.error}
    >
      Programs that use it are refused from now on. A revoked key does not come back.
    </Confirm>
  );
}
