/** All workspaces of the deployment: what they use and may, the link at an address, and suspending what does harm. For operators. */
import type { AnyWorkspace } from "@hopline/client/openapi";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { formatDate, formatNumber, formatUrl } from "../format.ts";
import { SearchField } from "../links/search-field.tsx";
import { ask, askPages, rowsOf, useMe } from "../queries.ts";
import { compact, textIn } from "../search-params.ts";
import { OperatorsOnly } from "../shell/who-may.tsx";
import { Button, fieldsOf, TextField } from "../ui/controls.tsx";
import { type Column, TableCard } from "../ui/data-table.tsx";
import { Form, FormEnd } from "../ui/form.tsx";
import { Modal } from "../ui/modal.tsx";
import { Note, PageHead, ShowMore, Waiting } from "../ui/page.tsx";
import { useSending } from "../use-sending.ts";
import { type Suspended, SuspendDialog } from "./suspend-dialog.tsx";
import { LIMITS, t } from "./words.ts";
import { shared } from "../words.ts";

const route = getRouteApi("/signed-in/operators");

export function OperatorsPage() {
  const { isOperator } = useMe();
  return (
    <main className="page">
      <PageHead title={t.operators} about={t.allWorkspaces} />
      {isOperator ? <Console /> : <OperatorsOnly />}
    </main>
  );
}

function Console() {
  const q = textIn(route.useSearch(), "q") ?? "";
  const navigate = useNavigate({ from: "/operators" });
  const [limited, setLimited] = useState<AnyWorkspace | null>(null);
  const [suspended, setSuspended] = useState<Suspended | null>(null);
  const workspaces = useInfiniteQuery({
    ...askPages(["operators", "workspaces", q], (own, page, options) =>
      own.listAnyWorkspaces({ limit: 50, ...(q === "" ? {} : { search: q }), ...page }, options),
    ),
    placeholderData: keepPreviousData,
  });
  const columns: readonly Column<AnyWorkspace>[] = [
    { name: shared.workspace, cell: ({ name }) => <strong>{name}</strong> },
    { name: t.owners, className: "small", cell: ({ owners }) => owners.join(", ") || t.none },
    { name: t.members, cell: ({ members }) => formatNumber(members) },
    { name: shared.created, className: "small soft when", cell: (one) => formatDate(one.createdAt) },
    { name: shared.state, cell: ({ suspension }) => <State suspension={suspension} /> },
    {
      name: shared.change,
      isUnnamed: true,
      cell: (one) => (
        <span className="row">
          <Button
            label={t.useAndLimits}
            isSmall
            aria-label={t.useAndLimitsOfOne(one.name)}
            onClick={() => setLimited(one)}
          />
          <SuspendButton target={{ ...one, kind: "workspace" }} onAsk={setSuspended} />
        </span>
      ),
    },
  ];
  return (
    <>
      <LookUp />
      <div className="row wrap filters">
        <SearchField
          label={t.searchWorkspaces}
          placeholder={t.nameOrOwner}
          q={q}
          onChange={(text) => void navigate({ search: compact({ q: text }), replace: true })}
        />
      </div>
      <Waiting query={workspaces} lines={5} height={36} />
      <TableCard label={t.workspaces} columns={columns} rows={rowsOf(workspaces)} />
      <ShowMore query={workspaces} />
      {limited !== null && <Limits workspace={limited} onClose={() => setLimited(null)} />}
      {suspended !== null && <SuspendDialog target={suspended} onClose={() => setSuspended(null)} />}
    </>
  );
}

function State({ suspension }: Pick<AnyWorkspace, "suspension">) {
  return suspension === null ? (
    <span className="status good">{shared.active}</span>
  ) : (
    <>
      <span className="status bad">{t.suspended}</span>
      <div className="small soft">{suspension.reason}</div>
    </>
  );
}

type SuspendButtonProps = { readonly target: Suspended; readonly onAsk: (target: Suspended) => void };

function SuspendButton({ target, onAsk }: SuspendButtonProps) {
  const verb = target.suspension === null ? t.suspend : t.resume;
  return (
    <Button
      label={verb}
      isSmall
      isDanger={target.suspension === null}
      aria-label={`${verb} ${target.name}`}
      onClick={() => onAsk(target)}
    />
  );
}

/** The link at an address, or the domain alone, in whichever workspace it is. */
function LookUp() {
  const [suspended, setSuspended] = useState<Suspended | null>(null);
  const [draft, setDraft] = useState({ address: "", reason: "" });
  const field = fieldsOf(draft, (change) => setDraft({ ...draft, ...change }));
  const looking = useSending({ send: (own) => own.lookUpLink({ body: draft }) });
  const { link, domain, workspace } = looking.data ?? {};
  return (
    <section className="card">
      <Form values={draft} sending={looking} onSubmit={() => looking.mutate()}>
        <h2>{t.lookUpLink}</h2>
        <TextField
          label={t.shortAddress}
          placeholder="https://go.example.com/spring"
          {...field("address")}
          required
        />
        <TextField label={t.reason} hint={t.auditLogWorkspaceSays} {...field("reason")} required />
        <FormEnd submit={t.lookUp} />
      </Form>
      {link !== undefined && domain !== undefined && (
        <Note>
          {link === null ? (
            t.noLinkIsThere
          ) : (
            <>
              {t.itLeadsTo} <strong>{formatUrl(link.url)}</strong>.
            </>
          )}{" "}
          {t.ofWorkspace(workspace?.name ?? "")}
          <div className="row wrap">
            {domain.host} <State suspension={domain.suspension} />
            <SuspendButton target={{ ...domain, name: domain.host, kind: "domain" }} onAsk={setSuspended} />
          </div>
        </Note>
      )}
      {suspended !== null && (
        <SuspendDialog
          target={suspended}
          onClose={() => {
            setSuspended(null);
            // What was found is old.
            looking.reset();
          }}
        />
      )}
    </section>
  );
}

type LimitsProps = { readonly workspace: AnyWorkspace; readonly onClose: () => void };

function Limits({ workspace: { id, name }, onClose }: LimitsProps) {
  const found = useQuery({
    ...ask(["operators", "workspace", id], (own, options) =>
      own.readAnyWorkspace({ workspaceId: id }, options),
    ),
    staleTime: 0,
  });
  const [typed, setTyped] = useState<{ readonly [limit: string]: string }>({});
  const { usage } = found.data ?? {};
  const limitOf = (limit: (typeof LIMITS)[number]["name"]) => {
    const text = typed[limit] ?? String(usage?.[limit].limit ?? "");
    return text === "" ? null : Number(text);
  };
  const values = { links: limitOf("links"), clicks: limitOf("clicks"), requests: limitOf("requests") };
  const setting = useSending({
    send: (own) => own.setLimits({ workspaceId: id, body: values }),
    said: t.limitsSaved(name),
    rereads: ["operators"],
    onSent: onClose,
  });
  return (
    <Modal title={t.useAndLimitsOfName(name)} onClose={onClose}>
      <Waiting query={found} lines={3} height={40} />
      {usage !== undefined && (
        <Form values={values} sending={setting} onSubmit={() => setting.mutate()}>
          {LIMITS.map(({ name: limit, label }) => (
            <TextField
              key={limit}
              label={label}
              path={limit}
              type="number"
              min={0}
              placeholder={t.noLimit}
              hint={t.used(formatNumber(usage[limit].used))}
              value={String(values[limit] ?? "")}
              onChange={(text) => setTyped({ ...typed, [limit]: text })}
            />
          ))}
          <FormEnd submit={t.saveLimits} onCancel={onClose} />
        </Form>
      )}
    </Modal>
  );
}
