/** The hosts of the workspace: proved by a DNS record, and what each does with visitors who find no link. */
import type { Domain } from "@hopline/client/openapi";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Copy, Globe, Plus, RefreshCw, Settings2, Trash2 } from "lucide-react";
import { useState } from "react";
import { hoplineOf } from "../caches.ts";
import { formatDate, formatDateTime } from "../format.ts";
import { DefaultsFields } from "../links/defaults-fields.tsx";
import { toDefaults } from "../links/link-defaults.ts";
import { SectionFold } from "../links/section-frames.tsx";
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
import { SEEN, t } from "./words.ts";
import { REDIRECTS } from "../links/editor-words.ts";
import { shared } from "../words.ts";

export function DomainsPage() {
  const domains = useQuery(domainsQuery);
  const mayManage = useMay("admin");
  const { first } = getRouteApi("/signed-in/w/$workspaceId/domains").useSearch();
  const [isAdding, setAdding] = useState(first === "add" && domains.data?.length === 0);
  return (
    <main className="page narrow">
      <PageHead title={shared.domains} about={t.hostsThatYourLinksAreOn}>
        {mayManage && (
          <Button icon={Plus} label={t.addDomain} kind="primary" onClick={() => setAdding(true)} />
        )}
      </PageHead>
      <Waiting query={domains} lines={5} height={40} />
      {domains.data?.length === 0 && (
        <Empty icon={Globe} title={t.noDomainYet}>
          {t.linksNeedHostYoursSuchAsGo}
        </Empty>
      )}
      {domains.data?.map((domain) => (
        <DomainCard key={domain.id} domain={domain} mayManage={mayManage} isFirst={first === "verify"} />
      ))}
      {isAdding && <AddDomain onClose={() => setAdding(false)} />}
    </main>
  );
}

type DomainCardProps = {
  readonly domain: Domain;
  readonly mayManage: boolean;
  /** Looking for its record is what is to be done here. */
  readonly isFirst: boolean;
};

function DomainCard({ domain, mayManage, isFirst }: DomainCardProps) {
  const [asked, setAsked] = useState<"settings" | "deletion" | null>(null);
  const dialog = { domain, onClose: () => setAsked(null) };
  const { host, status, proof, customHostname, createdAt } = domain;
  return (
    <section className="card stack" aria-label={host}>
      <div className="row wrap">
        <h2>{host}</h2>
        <span className={`status ${status === "active" ? "good" : "warn"}`}>
          {status === "active" ? shared.active : t.notVerified}
        </span>
        <span className="soft small">{t.addedCreatedAt(formatDate(createdAt))}</span>
        {mayManage && (
          <span className="row spread">
            {status === "active" && (
              <IconButton
                isLarge
                icon={Settings2}
                label={t.settingsHost(host)}
                onClick={() => setAsked("settings")}
              />
            )}
            <IconButton
              isLarge
              icon={Trash2}
              label={t.deleteHost(host)}
              isDanger
              onClick={() => setAsked("deletion")}
            />
          </span>
        )}
      </div>
      {proof.by !== "operator" && <Records domain={domain} mayManage={mayManage} isFirst={isFirst} />}
      {proof.by === "operator" && <p className="soft small">{t.verifiedByServersOperator}</p>}
      {proof.endsAt !== null && (
        <Note kind="warn">{t.recordIsGoneUnlessItIsBack(formatDateTime(proof.endsAt))}</Note>
      )}
      {customHostname !== null && (
        <p className="small">
          {t.certificate} <strong>{customHostname.certificate ?? t.notRequestedYet}</strong>
          {customHostname.errors.length > 0 && (
            <span className="soft"> {customHostname.errors.join("; ")}</span>
          )}
        </p>
      )}
      {status === "active" && <DomainLogo domain={domain} mayManage={mayManage} />}
      {status === "active" && <MissedVisits domain={domain} />}
      {asked === "settings" && <DomainSettings {...dialog} />}
      {asked === "deletion" && <DeleteDomain {...dialog} />}
    </section>
  );
}

const CHECK_EVERY_MS = 15_000;

/** The records of the host, and how DNS has them: asked again and again while the host is not verified, else by the button. */
function Records({ domain: { id, host, proof, status }, mayManage, isFirst }: DomainCardProps) {
  const check = useQuery({
    queryKey: ["domain-check", id],
    queryFn: async ({ client }) => {
      const found = await hoplineOf(client).verifyDomain({ domainId: id });
      if (status === "pending" && found.domain.status === "active") {
        say(t.hostIsVerified(host));
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
      {status === "pending" && <p>{t.addToDnsHostTxtRecordStays(target, proof.isTaken)}</p>}
      <div className="scroll-x" tabIndex={0} role="region" aria-label={t.recordsHost(host)}>
        <DataTable columns={COLUMNS} rows={[proved, ...(target === null ? [] : [pointing])]} />
      </div>
      {target !== null && seen !== "found" && <p className="soft small">{t.whereCname(target)}</p>}
      {target === null && check.data !== undefined && check.data.seen !== "unavailable" && (
        <p className="small">
          {found.length > 0 ? t.hostPointsToFound(host, found.join(", ")) : t.pointsNowhereYet(host)}
          <span className="soft">{t.askOperatorThisServer}</span>
        </p>
      )}
      {check.isError && <ErrorNote error={check.error} onRetry={() => void check.refetch()} />}
      <div className="row wrap">
        {mayManage && (
          <Button
            icon={RefreshCw}
            label={check.isFetching ? t.checking : t.checkNow}
            isSmall
            autoFocus={isFirst}
            onClick={() => void check.refetch({ cancelRefetch: false })}
          />
        )}
        {proof.checkedAt !== null && (
          <span className="soft small">{t.lastChecked(formatDateTime(proof.checkedAt))}</span>
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
  { name: t.type, cell: ({ id }) => id },
  ...(["name", "value"] as const).map((part) => ({
    name: part === "name" ? shared.name : t.value,
    className: "mono",
    cell: ({ [part]: text }: DnsRecord) => (
      <span className="row">
        {text}
        <IconButton icon={Copy} label={t.copyPartText(part, text)} onClick={() => void copy(text)} />
      </span>
    ),
  })),
  {
    name: shared.state,
    cell: ({ seen, found }) => (
      <>
        {seen !== null && (
          <span className={`status ${seen === "found" ? "good" : "warn"}`}>{SEEN[seen]}</span>
        )}
        {seen === "wrong" && found.length > 0 && (
          <div className="small soft">{t.thereIsFound(found.join(", "))}</div>
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
  const dialog = { values: draft, sending: adding, onCancel: close, onClose };
  return (
    <FormDialog title={t.addDomain} submit={t.addDomain} {...dialog}>
      <TextField
        label={t.host}
        placeholder="go.example.com"
        hint={t.useHostWithNothingElse}
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
    said: t.settingsSaved(domain.host),
    rereads: ["domains"],
    onSent: close,
  });
  const field = fieldsOf(draft, set);
  const address = (name: AddressName, label: string, hint = t.linkedOnVisitorPages) => (
    <AddressField label={label} hint={hint} {...orNull(field(name))} />
  );
  const dialog = { values: draft, sending: saving, onCancel: close, onClose };
  return (
    <FormDialog title={domain.host} submit={shared.save} {...dialog}>
      {address("rootUrl", t.bareHostRedirectsTo, t.withoutAddressVisitorsGet)}
      {address("notFoundUrl", t.unknownLinksRedirectTo, t.withoutAddressVisitorsGetText)}
      {address("endedUrl", t.endedLinksRedirectTo, t.unlessLinkHasAddressOwn)}
      <SelectField
        label={t.redirectStatus}
        hint={t.forLinksWithoutStatus}
        {...field("redirectStatus")}
        choices={[{ value: null, label: REDIRECTS[0].label }, ...REDIRECTS.slice(1)]}
      />
      <TextField label={t.nameOnVisitorPages} {...orNull(field("title"))} />
      {address("homeUrl", t.homePage, t.linkedFromNameOnVisitor)}
      <TextField label={t.colourVisitorPages} hint={t.suchAs0b7a75TextStays} {...orNull(field("color"))} />
      {address("imprintUrl", t.imprint)}
      {address("privacyUrl", t.privacyPolicy)}
      {address("reportUrl", t.pageToReportLink)}
      <Switch
        label={t.ignoreUpperAndLowerCase}
        isOn={draft.ignoresCase}
        onChange={field("ignoresCase").onChange}
      />
      <FieldError path="ignoresCase" />
      <SectionFold title={t.defaultsNewLinks} about={domain.defaults === null ? "" : t.set}>
        <DefaultsFields defaults={draft.defaults} onChange={(typed) => set({ defaults: typed })} isOfDomain />
      </SectionFold>
    </FormDialog>
  );
}

function DeleteDomain({ domain, onClose }: InDialog) {
  return (
    <Confirm
      title={t.askDeleteHost(domain.host)}
      button={t.deleteDomain}
      send={(hopline) => hopline.deleteDomain({ domainId: domain.id })}
      said={t.hostDeleted(domain.host)}
      rereads={["domains", "links"]}
      onClose={onClose}
    >
      {t.visitorsHostGet404Within}
    </Confirm>
  );
}
