/** The hosts of the workspace: proved by a DNS record, and what each does with visitors who find no link. */
import type { Domain } from "@hopline/client/openapi";
import { useQuery } from "@tanstack/react-query";
import { Copy, Globe, Plus, RefreshCw, Settings2, Trash2 } from "lucide-react";
import { useState } from "react";
import { useHopline } from "../caches.ts";
import { formatDate, formatDateTime } from "../format.ts";
import { DefaultsFields } from "../links/defaults-fields.tsx";
import { toDefaults } from "../links/link-defaults.ts";
import { SectionFold } from "../links/link-sections.tsx";
import { hostIn } from "../links/with-scheme.ts";
import { domainsQuery, useMay } from "../queries.ts";
import { Confirm, FormDialog } from "../ui/modal.tsx";
import {
  AddressField,
  Button,
  FieldError,
  fieldsOf,
  IconButton,
  orNull,
  SelectField,
  Switch,
  TextField,
} from "../ui/controls.tsx";
import { copy } from "../ui/copy.ts";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { Empty, ErrorNote, Note, PageHead, Waiting } from "../ui/page.tsx";
import { say } from "../ui/toasts.ts";
import { useKept } from "../ui/use-kept.ts";
import { useSending } from "../use-sending.ts";
import { DomainLogo } from "./domain-logo.tsx";
import { MissedVisits } from "./missed-visits.tsx";
import { SEEN } from "./words.ts";
import { REDIRECTS } from "../links/editor-words.ts";

export function DomainsPage() {
  const domains = useQuery(domainsQuery);
  const mayManage = useMay("admin");
  const [isAdding, setAdding] = useState(false);
  return (
    <main className="page narrow">
      <PageHead title="Domains" about="Hosts that your links are on.">
        {mayManage && (
          <Button icon={Plus} label="Add domain" kind="primary" onClick={() => setAdding(true)} />
        )}
      </PageHead>
      <Waiting query={domains} lines={5} height={40} />
      {domains.data?.length === 0 && (
        <Empty icon={Globe} title="No domain yet">
          Links need a host of yours, such as go.example.com. You verify it with a record in its DNS, and it
          redirects minutes later.
        </Empty>
      )}
      {domains.data?.map((domain) => (
        <DomainCard key={domain.id} domain={domain} mayManage={mayManage} />
      ))}
      {isAdding && <AddDomain onClose={() => setAdding(false)} />}
    </main>
  );
}

type DomainCardProps = { readonly domain: Domain; readonly mayManage: boolean };

function DomainCard({ domain, mayManage }: DomainCardProps) {
  const [isEditing, setEditing] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const { host, status, proof, customHostname, createdAt } = domain;
  return (
    <section className="card stack" aria-label={host}>
      <div className="row wrap">
        <h2>{host}</h2>
        <span className={`status ${status === "active" ? "good" : "warn"}`}>
          {status === "active" ? "Active" : "Not verified"}
        </span>
        <span className="soft small">added {formatDate(createdAt)}</span>
        {mayManage && (
          <span className="row spread">
            {status === "active" && (
              <IconButton
                isLarge
                icon={Settings2}
                label={`Settings of ${host}`}
                onClick={() => setEditing(true)}
              />
            )}
            <IconButton
              isLarge
              icon={Trash2}
              label={`Delete ${host}`}
              isDanger
              onClick={() => setDeleting(true)}
            />
          </span>
        )}
      </div>
      {proof.by !== "operator" && <Records domain={domain} mayManage={mayManage} />}
      {proof.by === "operator" && <p className="soft small">Verified by the server&rsquo;s operator.</p>}
      {proof.endsAt !== null && (
        <Note kind="warn">
          The record is gone. Unless it is back by {formatDateTime(proof.endsAt)}, this host stops
          redirecting.
        </Note>
      )}
      {customHostname !== null && (
        <p className="small">
          Certificate: <strong>{customHostname.certificate ?? "not asked for yet"}</strong>
          {customHostname.errors.length > 0 && (
            <span className="soft"> {customHostname.errors.join("; ")}</span>
          )}
        </p>
      )}
      {status === "active" && <DomainLogo domain={domain} mayManage={mayManage} />}
      {status === "active" && <MissedVisits domain={domain} />}
      {isEditing && <DomainSettings domain={domain} onClose={() => setEditing(false)} />}
      {isDeleting && <DeleteDomain domain={domain} onClose={() => setDeleting(false)} />}
    </section>
  );
}

const CHECK_EVERY_MS = 15_000;

/** The records of the host, and how DNS has them: asked again and again while the host is not verified, else by the button. */
function Records({ domain: { id, host, proof, status }, mayManage }: DomainCardProps) {
  const hopline = useHopline();
  const check = useQuery({
    queryKey: ["domain-check", id],
    queryFn: async ({ client }) => {
      const found = await hopline.verifyDomain({ domainId: id });
      if (status === "pending" && found.domain.status === "active") {
        say(`${host} is verified.`);
      }
      await client.invalidateQueries({ queryKey: ["domains"] });
      return found;
    },
    enabled: status === "pending" && mayManage,
    refetchInterval: CHECK_EVERY_MS,
    retry: false,
  });
  const { target = null, seen = null, found = [] } = check.data?.pointing ?? {};
  const proved = {
    id: proof.record.type,
    ...proof.record,
    seen: check.data?.seen ?? proof.seen,
    found: check.data?.texts ?? [],
  };
  const pointing = { id: "CNAME", name: host, value: target ?? "", seen, found };
  return (
    <div className="stack tight">
      {status === "pending" && (
        <p>
          Add {target === null ? "this record" : "these records"} to the DNS of the host. The TXT record stays
          there: it is looked up every day. {proof.isTaken && "Another workspace has verified this host."}
        </p>
      )}
      <div className="scroll-x" tabIndex={0} role="region" aria-label={`Records of ${host}`}>
        <DataTable columns={COLUMNS} rows={[proved, ...(target === null ? [] : [pointing])]} />
      </div>
      {target !== null && seen !== "found" && (
        <p className="soft small">
          Where a CNAME can&rsquo;t be, as at example.com itself, add an ALIAS or ANAME, or A records of{" "}
          {target}. A proxy in front of the host hides where it points.
        </p>
      )}
      {target === null && check.data !== undefined && check.data.seen !== "unavailable" && (
        <p className="small">
          {found.length > 0 ? `${host} points to ${found.join(", ")}. ` : `${host} points nowhere yet. `}
          <span className="soft">Ask the operator of this server where it must point.</span>
        </p>
      )}
      {check.isError && <ErrorNote error={check.error} onRetry={() => void check.refetch()} />}
      <div className="row wrap">
        {mayManage && (
          <Button
            icon={RefreshCw}
            label={check.isFetching ? "Checking…" : "Check now"}
            isSmall
            disabled={check.isFetching}
            onClick={() => void check.refetch()}
          />
        )}
        {proof.checkedAt !== null && (
          <span className="soft small">Last checked {formatDateTime(proof.checkedAt)}.</span>
        )}
      </div>
    </div>
  );
}

type DnsRecord = {
  /** Its type. */
  readonly id: string;
  readonly name: string;
  readonly value: string;
  /** `null`: not looked up yet. */
  readonly seen: keyof typeof SEEN | null;
  /** What is there. */
  readonly found: readonly string[];
};

const COLUMNS: readonly Column<DnsRecord>[] = [
  { name: "Type", cell: ({ id }) => id },
  ...(["name", "value"] as const).map((part) => ({
    name: part === "name" ? "Name" : "Value",
    className: "mono",
    cell: ({ [part]: text }: DnsRecord) => (
      <span className="row">
        {text}
        <IconButton icon={Copy} label={`Copy the ${part} ${text}`} onClick={() => void copy(text)} />
      </span>
    ),
  })),
  {
    name: "State",
    cell: ({ seen, found }) => (
      <>
        {seen !== null && (
          <span className={`status ${seen === "found" ? "good" : "warn"}`}>{SEEN[seen]}</span>
        )}
        {seen === "wrong" && found.length > 0 && (
          <div className="small soft">There is {found.join(", ")}</div>
        )}
      </>
    ),
  },
];

function AddDomain({ onClose }: { readonly onClose: () => void }) {
  const [draft, set, close] = useKept("new domain", { host: "" }, onClose);
  const adding = useSending({
    send: (hopline) => hopline.createDomain({ body: { host: hostIn(draft.host) } }),
    rereads: ["domains"],
    onSent: close,
  });
  return (
    <FormDialog
      title="Add domain"
      values={draft}
      sending={adding}
      submit="Add domain"
      onCancel={close}
      onClose={onClose}
    >
      <TextField
        label="Host"
        placeholder="go.example.com"
        hint="Use a host with nothing else on it. Next you see what to add to its DNS."
        {...fieldsOf(draft, set)("host")}
        onBlur={() => set({ host: hostIn(draft.host) })}
        required
        autoFocus
      />
    </FormDialog>
  );
}

type InDialog = { readonly domain: Domain; readonly onClose: () => void };

type AddressName = Extract<keyof Domain, `${string}Url`>;

function DomainSettings({ domain, onClose }: InDialog) {
  const { rootUrl, notFoundUrl, endedUrl, ignoresCase, redirectStatus } = domain;
  const { title, homeUrl, color, imprintUrl, privacyUrl, reportUrl } = domain;
  const onPages = { title, homeUrl, color, imprintUrl, privacyUrl, reportUrl };
  const defaults = domain.defaults ?? {};
  const stored = { rootUrl, notFoundUrl, endedUrl, ignoresCase, redirectStatus, ...onPages, defaults };
  const [draft, set, close] = useKept(`${domain.host} ${JSON.stringify(stored)}`, stored, onClose);
  const saving = useSending({
    send: (hopline) =>
      hopline.updateDomain({
        domainId: domain.id,
        body: { ...draft, defaults: toDefaults(draft.defaults) },
      }),
    said: `Settings of ${domain.host} saved.`,
    rereads: ["domains"],
    onSent: close,
  });
  const field = fieldsOf(draft, set);
  const address = (name: AddressName, label: string, hint = "Linked on visitor pages.") => (
    <AddressField label={label} hint={hint} {...orNull(field(name))} />
  );
  return (
    <FormDialog
      title={domain.host}
      values={draft}
      sending={saving}
      submit="Save"
      onCancel={close}
      onClose={onClose}
    >
      {address("rootUrl", "Bare host redirects to", "Without an address visitors get a 404.")}
      {address(
        "notFoundUrl",
        "Unknown links redirect to",
        "Without an address visitors get a page that says so.",
      )}
      {address("endedUrl", "Ended links redirect to", "Unless a link has an address of its own for that.")}
      <SelectField
        label="Redirect status"
        hint="For links without a status of their own."
        {...field("redirectStatus")}
        choices={[{ value: null, label: REDIRECTS[0].label }, ...REDIRECTS.slice(1)]}
      />
      <TextField label="Name on visitor pages" {...orNull(field("title"))} />
      {address("homeUrl", "Home page", "Linked from the name on visitor pages.")}
      <TextField
        label="Colour of visitor pages"
        hint="Such as #0b7a75. Text stays readable on any colour."
        {...orNull(field("color"))}
      />
      {address("imprintUrl", "Imprint")}
      {address("privacyUrl", "Privacy policy")}
      {address("reportUrl", "Page to report a link")}
      <Switch
        label="Ignore upper and lower case in slugs"
        isOn={draft.ignoresCase}
        onChange={field("ignoresCase").onChange}
      />
      <FieldError path="ignoresCase" />
      <SectionFold title="Defaults of new links" about={domain.defaults === null ? "" : "set"}>
        <DefaultsFields defaults={draft.defaults} onChange={(typed) => set({ defaults: typed })} isOfDomain />
      </SectionFold>
    </FormDialog>
  );
}

function DeleteDomain({ domain, onClose }: InDialog) {
  return (
    <Confirm
      title={`Delete ${domain.host}?`}
      button="Delete the domain"
      send={(hopline) => hopline.deleteDomain({ domainId: domain.id })}
      said={`${domain.host} deleted.`}
      rereads={["domains", "links"]}
      onClose={onClose}
    >
      Visitors of the host get a 404 within seconds. A domain that has links is refused: delete or move them
      first.
    </Confirm>
  );
}
