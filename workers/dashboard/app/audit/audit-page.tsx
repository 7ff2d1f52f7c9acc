/** Who changed what in the workspace, with what it was and is. */
import type { AuditEntry } from "@hopline/client/openapi";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link as RouterLink, useNavigate } from "@tanstack/react-router";
import { Download, ScrollText, X } from "lucide-react";
import { useState } from "react";
import "../styles/audit.css";
import "../styles/link.css";
import "../styles/links.css";
import { useHopline } from "../caches.ts";
import { formatDateTime } from "../format.ts";
import { usePreferences } from "../preferences.ts";
import { stringifySearch } from "../search-params.ts";
import { keysQuery, membersQuery, useMay } from "../queries.ts";
import { AdminsOnly } from "../shell/admins-only.tsx";
import { PageHead } from "../shell/page-head.tsx";
import { Button, buttonClass, Select } from "../ui/controls.tsx";
import { Modal } from "../ui/modal.tsx";
import { Empty, ErrorNote, ShowMore, Skeleton } from "../ui/notes.tsx";
import {
  actionsOf,
  type AuditSearch,
  describeAction,
  describeActor,
  describeResource,
  linkIdOf,
  RESOURCES,
  toAuditFilter,
  toAuditSearch,
} from "./audit-words.ts";
import { differingFields, nameOfField } from "./describe-fields.ts";
import { Differences } from "./differences.tsx";

const route = getRouteApi("/signed-in/w/$workspaceId/audit-log");

/** A part of the filters that changes; `undefined` removes it. */
type Change = { readonly [Name in keyof AuditSearch]?: AuditSearch[Name] | undefined };

export function AuditPage() {
  return useMay("admin") ? <AuditLog /> : <AdminsOnly title="Audit log" what="read the audit log" />;
}

function AuditLog() {
  const hopline = useHopline();
  const search = toAuditSearch(route.useSearch());
  const { workspaceId: workspace } = route.useParams();
  const navigate = useNavigate({ from: "/w/$workspaceId/audit-log" });
  const { timeZone } = usePreferences();
  const filter = toAuditFilter(search, timeZone);
  const [shown, setShown] = useState<AuditEntry | null>(null);
  const log = useInfiniteQuery({
    queryKey: ["audit-log", filter],
    queryFn: ({ pageParam, signal }) =>
      hopline.listAuditLog(
        { ...filter, limit: 50, ...(pageParam === null ? {} : { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextCursor,
  });
  const entries = log.data?.pages.flatMap(({ data }) => data) ?? [];
  const isFiltered = Object.keys(search).length > 0;
  const change = (part: Change) => {
    const next = toAuditSearch({ ...search, ...part });
    void navigate({ search: next });
  };
  return (
    <main className="page">
      <PageHead title="Audit log" about="Who changed what in this workspace.">
        <a
          className={buttonClass({})}
          href={`/api/v1/audit-log.csv${stringifySearch({ workspace, ...filter })}`}
          download
        >
          <Download size={16} aria-hidden /> CSV
        </a>
      </PageHead>
      <Filters search={search} resourceName={entries[0]?.resource.label ?? null} onChange={change} />
      {log.isPending && <Skeleton lines={8} height={30} />}
      {log.isError && <ErrorNote error={log.error} onRetry={() => void log.refetch()} />}
      {log.data !== undefined && entries.length === 0 && (
        <Empty
          icon={ScrollText}
          title={isFiltered ? "No matching changes" : "No changes yet"}
          action={
            isFiltered && <Button onClick={() => void navigate({ search: {} })}>Remove all filters</Button>
          }
        >
          {isFiltered
            ? "Choose other days, or remove a filter."
            : "Each change of a link, a domain, a key, a member is written down here: who made it, when, and what was before."}
        </Empty>
      )}
      {entries.length > 0 && (
        <section className="card scroll-x" tabIndex={0} aria-label="Changes">
          <table className="plain-table log">
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col">Who did what</th>
                <th scope="col">
                  <span className="hidden-label">More</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {entries.map((entry) => (
                <EntryRow key={entry.id} entry={entry} timeZone={timeZone} onShow={() => setShown(entry)} />
              ))}
            </tbody>
          </table>
        </section>
      )}
      <ShowMore query={log} />
      {shown !== null && <EntryDialog entry={shown} onChange={change} onClose={() => setShown(null)} />}
    </main>
  );
}

type FiltersProps = {
  readonly search: AuditSearch;
  /** Of what the log is filtered by, where that is known. */
  readonly resourceName: string | null;
  readonly onChange: (change: Change) => void;
};

function Filters({ search, resourceName, onChange }: FiltersProps) {
  const { actor = "", what = "", resource, from = "", to = "" } = search;
  return (
    <div className="filters audit-filters" role="group" aria-label="Filters">
      <ActorChoice actor={actor} onChange={(id) => onChange({ actor: id === "" ? undefined : id })} />
      <select
        className="input"
        aria-label="What was changed"
        value={what}
        onChange={({ currentTarget: { value } }) => onChange({ what: value === "" ? undefined : value })}
      >
        <option value="">All changes</option>
        {(Object.keys(RESOURCES) as (keyof typeof RESOURCES)[]).map((name) => (
          <optgroup key={name} label={RESOURCES[name].label}>
            <option value={name}>All about {RESOURCES[name].label.toLowerCase()}</option>
            {actionsOf(name).map((action) => (
              <option key={action} value={action}>
                Who {describeAction(action)}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      <div className="row days-choice">
        <input
          className="input"
          type="date"
          aria-label="First day"
          max={to}
          value={from}
          onChange={({ currentTarget: { value } }) => onChange({ from: value === "" ? undefined : value })}
        />
        <span className="small soft">to</span>
        <input
          className="input"
          type="date"
          aria-label="Last day"
          min={from}
          value={to}
          onChange={({ currentTarget: { value } }) => onChange({ to: value === "" ? undefined : value })}
        />
      </div>
      {resource !== undefined && (
        <span className="chip active">
          <span className="cut">only {resourceName ?? resource}</span>
          <button
            type="button"
            aria-label={`Remove the filter ${resourceName ?? resource}`}
            onClick={() => onChange({ resource: undefined })}
          >
            <X size={13} aria-hidden />
          </button>
        </span>
      )}
    </div>
  );
}

type ActorChoiceProps = { readonly actor: string; readonly onChange: (actor: string) => void };

function ActorChoice({ actor, onChange }: ActorChoiceProps) {
  const { data: members = [] } = useQuery(membersQuery(route.useParams().workspaceId));
  const { data: keys = [] } = useQuery(keysQuery);
  const known = [
    { value: "", label: "Everyone" },
    ...members.map(({ personId, name }) => ({ value: personId, label: name })),
    ...keys.map(({ id, name }) => ({ value: id, label: `Key ${name}` })),
    { value: "job", label: "Hopline" },
    { value: "operator", label: "Database (migration or CLI)" },
  ];
  const choices = known.some(({ value }) => value === actor)
    ? known
    : [...known, { value: actor, label: actor }];
  return <Select aria-label="Who" value={actor} onChange={onChange} choices={choices} />;
}

type EntryRowProps = {
  readonly entry: AuditEntry;
  readonly timeZone: string;
  readonly onShow: () => void;
};

function EntryRow({ entry, timeZone, onShow }: EntryRowProps) {
  const { at, actor, action, before, after } = entry;
  const fields = before === null || after === null ? [] : differingFields(before, after);
  const linkId = linkIdOf(entry);
  const label = describeResource(entry);
  return (
    <tr>
      <td className="small soft when">{formatDateTime(at, timeZone)}</td>
      <td className="what">
        <div>
          <strong>{describeActor(actor)}</strong> {describeAction(action)}{" "}
          {linkId === null ? (
            <span>{label}</span>
          ) : (
            <RouterLink from="/w/$workspaceId" to="/w/$workspaceId/links/$linkId" params={{ linkId }}>
              {label}
            </RouterLink>
          )}
        </div>
        {fields.length > 0 && <div className="small soft">{fields.map(nameOfField).join(", ")}</div>}
      </td>
      <td className="number">
        <Button
          isSmall
          kind="quiet"
          aria-label={`Details: ${describeActor(actor)} ${describeAction(action)} ${label}`}
          onClick={onShow}
        >
          Details
        </Button>
      </td>
    </tr>
  );
}

type EntryDialogProps = {
  readonly entry: AuditEntry;
  readonly onChange: (change: Change) => void;
  readonly onClose: () => void;
};

function EntryDialog({ entry, onChange, onClose }: EntryDialogProps) {
  const { timeZone } = usePreferences();
  const { at, actor, action, resource, before, after, requestId } = entry;
  const { id } = resource;
  return (
    <Modal
      title={`${describeActor(actor)} ${describeAction(action)} ${describeResource(entry)}`}

      isWide
      onClose={onClose}
    >
      <p className="soft">
        {formatDateTime(at, timeZone)}
        {requestId !== null && (
          <>
            , request id <code>{requestId}</code>
          </>
        )}
      </p>
      {(before !== null || after !== null) && <Differences before={before} after={after} />}
      <div className="row wrap">
        {id !== null && (
          <Button
            isSmall
            onClick={() => {
              onClose();
              onChange({ resource: id });
            }}
          >
            Show its history
          </Button>
        )}
        <Button kind="quiet" className="spread" onClick={onClose}>
          Close
        </Button>
      </div>
    </Modal>
  );
}
