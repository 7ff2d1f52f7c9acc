/** Who changed what in the workspace, with what it was and is. */
import type { AuditEntry } from "@hopline/client/openapi";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link as RouterLink, useNavigate } from "@tanstack/react-router";
import { ScrollText } from "lucide-react";
import { type ComponentProps, useState } from "react";
import { formatDateTime } from "../format.ts";
import { usePreferences } from "../preferences.ts";
import { type Cleared, stringifySearch } from "../search-params.ts";
import { askPages, keysQuery, membersQuery, rowsOf, useMay } from "../queries.ts";
import { AdminsOnly } from "../shell/who-may.tsx";
import { Button, CsvLink, FilterChip, Select } from "../ui/controls.tsx";
import { type Column, detailsColumn, TableCard } from "../ui/data-table.tsx";
import { Modal } from "../ui/modal.tsx";
import { Empty, PageHead, ShowMore, Waiting } from "../ui/page.tsx";
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
import { namesOfChanges } from "./describe-fields.ts";
import { Differences } from "./differences.tsx";
import { shared } from "../words.ts";
import { t } from "./words.ts";

const route = getRouteApi("/signed-in/w/$workspaceId/audit-log");

type Change = Cleared<AuditSearch>;

export function AuditPage() {
  return useMay("admin") ? <AuditLog /> : <AdminsOnly title={t.auditLog} what={t.readAuditLog} />;
}

function AuditLog() {
  const search = toAuditSearch(route.useSearch());
  const { workspaceId: workspace } = route.useParams();
  const navigate = useNavigate({ from: "/w/$workspaceId/audit-log" });
  const { timeZone } = usePreferences();
  const filter = toAuditFilter(search, timeZone);
  const [shown, setShown] = useState<AuditEntry | null>(null);
  const log = useInfiniteQuery(
    askPages(["audit-log", filter], (hopline, page, options) =>
      hopline.listAuditLog({ ...filter, limit: 50, ...page }, options),
    ),
  );
  const entries = rowsOf(log);
  const isFiltered = Object.keys(search).length > 0;
  const change = (part: Change) => {
    const next = toAuditSearch({ ...search, ...part });
    void navigate({ search: next });
  };
  const columns: readonly Column<AuditEntry>[] = [
    { name: t.whoDidWhat, className: "what", cell: (entry) => <What entry={entry} /> },
    { name: shared.when, className: "small soft when", cell: ({ at }) => formatDateTime(at) },
    detailsColumn((entry) => t.detailsEntry(describeEntry(entry)), setShown),
  ];
  return (
    <main className="page">
      <PageHead title={t.auditLog} about={t.whoChanged}>
        <CsvLink href={`/api/v1/audit-log.csv${stringifySearch({ workspace, ...filter })}`} />
      </PageHead>
      <Filters search={search} resourceName={entries[0]?.resource.label ?? null} onChange={change} />
      <Waiting query={log} lines={8} height={30} />
      {log.data !== undefined && entries.length === 0 && (
        <Empty
          icon={ScrollText}
          title={isFiltered ? t.noMatchingChanges : t.noChangesYet}
          action={
            isFiltered && <Button label={t.removeAllFilters} onClick={() => void navigate({ search: {} })} />
          }
        >
          {isFiltered ? t.chooseOtherDaysOrRemove : t.everyChangeToLinksDomains}
        </Empty>
      )}
      <TableCard label={t.changes} className="log" columns={columns} rows={entries} />
      <ShowMore query={log} />
      {shown !== null && <EntryDialog entry={shown} onChange={change} onClose={() => setShown(null)} />}
    </main>
  );
}

function What({ entry }: { readonly entry: AuditEntry }) {
  const { actor, action } = entry;
  const changes = namesOfChanges(entry);
  const linkId = linkIdOf(entry);
  const label = describeResource(entry);
  return (
    <>
      <strong>{describeActor(actor)}</strong> {describeAction(action)}{" "}
      {linkId === null ? (
        label
      ) : (
        <RouterLink from="/w/$workspaceId" to="/w/$workspaceId/links/$linkId" params={{ linkId }}>
          {label}
        </RouterLink>
      )}
      {changes !== "" && <div className="small soft">{changes}</div>}
    </>
  );
}

function describeEntry(entry: AuditEntry): string {
  return `${describeActor(entry.actor)} ${describeAction(entry.action)} ${describeResource(entry)}`;
}

type FiltersProps = {
  readonly search: AuditSearch;
  /** Of what the log is filtered by, where that is known. */
  readonly resourceName: string | null;
  readonly onChange: (change: Change) => void;
};

function Filters({ search, resourceName, onChange }: FiltersProps) {
  const { actor = "", what = "", resource, from = "", to = "" } = search;
  const day = (name: "from" | "to", about: ComponentProps<"input">) => (
    <input
      className="input"
      type="date"
      {...about}
      value={search[name] ?? ""}
      onChange={({ currentTarget: { value } }) => onChange({ [name]: value === "" ? undefined : value })}
    />
  );
  return (
    <div className="row wrap filters audit-filters" role="group" aria-label={shared.filters}>
      <ActorChoice actor={actor} onChange={(id) => onChange({ actor: id === "" ? undefined : id })} />
      <select
        className="input"
        aria-label={t.whatWasChanged}
        value={what}
        onChange={({ currentTarget: { value } }) => onChange({ what: value === "" ? undefined : value })}
      >
        <option value="">{t.allChanges}</option>
        {(Object.keys(RESOURCES) as (keyof typeof RESOURCES)[]).map((name) => (
          <optgroup key={name} label={RESOURCES[name].label}>
            <option value={name}>{t.allAbout(RESOURCES[name].label.toLowerCase())}</option>
            {actionsOf(name).map((action) => (
              <option key={action} value={action}>
                {t.whoAction(describeAction(action))}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      <div className="row days-choice">
        {day("from", { "aria-label": t.firstDay, max: to })}
        <span className="small soft">{t.to}</span>
        {day("to", { "aria-label": t.lastDay, min: from })}
      </div>
      {resource !== undefined && (
        <FilterChip
          text={`only ${resourceName ?? resource}`}
          onRemove={() => onChange({ resource: undefined })}
        />
      )}
    </div>
  );
}

type ActorChoiceProps = { readonly actor: string; readonly onChange: (actor: string) => void };

function ActorChoice({ actor, onChange }: ActorChoiceProps) {
  const { data: members = [] } = useQuery(membersQuery(route.useParams().workspaceId));
  const { data: keys = [] } = useQuery(keysQuery);
  const known = [
    { value: "", label: t.everyone },
    ...members.map(({ personId, name }) => ({ value: personId, label: name })),
    ...keys.map(({ id, name }) => ({ value: id, label: t.keyName(name) })),
    { value: "job", label: shared.hopline },
    { value: "operator", label: t.databaseMigrationOrCli },
  ];
  const choices = known.some(({ value }) => value === actor)
    ? known
    : [...known, { value: actor, label: actor }];
  return <Select aria-label={t.who} value={actor} onChange={onChange} choices={choices} />;
}

type EntryDialogProps = {
  readonly entry: AuditEntry;
  readonly onChange: (change: Change) => void;
  readonly onClose: () => void;
};

function EntryDialog({ entry, onChange, onClose }: EntryDialogProps) {
  const { at, before, after, requestId } = entry;
  const { id } = entry.resource;
  return (
    <Modal title={describeEntry(entry)} isWide onClose={onClose}>
      <p className="soft">
        {formatDateTime(at)}
        {requestId !== null && (
          <>
            {t.requestId} <code>{requestId}</code>
          </>
        )}
      </p>
      {(before !== null || after !== null) && <Differences before={before} after={after} />}
      <div className="row wrap">
        {id !== null && (
          <Button
            label={t.showHistory}
            isSmall
            onClick={() => {
              onClose();
              onChange({ resource: id });
            }}
          />
        )}
        <Button label={shared.close} kind="quiet" className="spread" onClick={onClose} />
      </div>
    </Modal>
  );
}
