/**
 * The form of a link. It holds what somebody edits beside what they began with; saving sends the difference, with the version
 * it was made from. When somebody else was faster, nothing is overwritten: both wishes are shown.
 */
import type { Link } from "@hopline/client/openapi";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link as RouterLink, useBlocker, useNavigate } from "@tanstack/react-router";
import { NewPasswordField } from "../people/new-password-field.tsx";
import { ChartSpline, Copy, ExternalLink, Trash2 } from "lucide-react";
import { lazy, Suspense, useEffect, useState } from "react";
import { hasCode } from "../api.ts";
import { useHopline } from "../caches.ts";
import { formatAgo, formatDateTime, formatNumber, formatUrl } from "../format.ts";
import { usePreferences } from "../preferences.ts";
import { useMay } from "../queries.ts";
import { PageHead } from "../shell/page-head.tsx";
import {
  Button,
  buttonClass,
  type Described,
  Field,
  FieldError,
  IconButton,
  SelectField,
  Switch,
  TextField,
} from "../ui/controls.tsx";
import { copy } from "../ui/copy.ts";
import { Within } from "../ui/fault-context.tsx";
import { Form, FormState, SubmitButton } from "../ui/form.tsx";
import { Note, Skeleton } from "../ui/notes.tsx";
import { say, sayError } from "../ui/toasts.ts";
import { useKept } from "../ui/use-kept.ts";
import { linkQuery, patchLinks, readLink, type ReadLink } from "./link-cache.ts";
import { changedFields, type Draft, FIELD_NAMES, toDraft, toUndo, toUpdate } from "./link-draft.ts";
import { StatusMark } from "./link-status.tsx";
import { FolderField } from "./folder-field.tsx";
import { SplitEditor } from "./split-editor.tsx";
import { SpreadLine } from "./spread-line.tsx";
import { TagsField } from "./tags-field.tsx";
import { toSlug } from "./to-slug.ts";
import { TryIt } from "./try-it.tsx";
import { fromWallTime, toWallTime } from "./wall-time.ts";
import { withScheme } from "./with-scheme.ts";

// Dialogs and dragging are libraries of their own.
const ConfirmDelete = lazy(() =>
  import("./confirm-delete.tsx").then(({ ConfirmDelete: component }) => ({ default: component })),
);
const LinkHistory = lazy(() =>
  import("./link-history.tsx").then(({ LinkHistory: component }) => ({ default: component })),
);
const QrCard = lazy(() =>
  import("../qr/qr-card.tsx").then(({ QrCard: component }) => ({ default: component })),
);
const ConflictDialog = lazy(() =>
  import("./conflict-dialog.tsx").then(({ ConflictDialog: component }) => ({ default: component })),
);
const LeaveDialog = lazy(() =>
  import("./leave-dialog.tsx").then(({ LeaveDialog: component }) => ({ default: component })),
);
const RulesEditor = lazy(() =>
  import("./rules-editor.tsx").then(({ RulesEditor: component }) => ({ default: component })),
);

type SetDraft = (change: Partial<Draft>) => void;

export function LinkEditor({ read }: { readonly read: ReadLink }) {
  const hopline = useHopline();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const mayEdit = useMay("editor");
  const { timeZone } = usePreferences();
  const [{ base, draft }, setEdited, forget] = useKept("editor", { base: read, draft: toDraft(read.link) });
  const [theirs, setTheirs] = useState<ReadLink | null>(null);
  const [isDeleting, setDeleting] = useState(false);
  const before = toDraft(base.link);
  const changed = changedFields(before, draft);
  const set: SetDraft = (change) => setEdited((old) => ({ draft: { ...old.draft, ...change } }));
  const discard = () => {
    setEdited({ draft: before });
    forget();
  };

  const take = (newer: ReadLink) => {
    queryClient.setQueryData(linkQuery(newer.link.id).queryKey, newer);
    void patchLinks(queryClient, [newer.link]);
    setEdited({ base: newer, draft: toDraft(newer.link) });
    forget();
  };
  // The page was opened with a copy from before; nobody has typed anything yet.
  useEffect(() => {
    if (read.link.version > base.link.version && changed.length === 0) {
      take(read);
    }
  }, [read]);

  const saving = useMutation({
    mutationFn: async ({
      update,
      etag,
    }: {
      readonly update: ReturnType<typeof toUpdate>;
      readonly etag: string;
    }) => {
      const { data, response } = await hopline
        .updateLink({ linkId: base.link.id, body: update }, { headers: { "if-match": etag } })
        .withResponse();
      return { link: data, etag: response.headers.get("etag") ?? "" };
    },
    // A connection that has just come back may not carry the first request. Sent twice it does no harm: it names its version.
    retry: (failures, error) => error instanceof TypeError && failures < 3,
    retryDelay: 500,
    onError: async (error) => {
      if (hasCode(error, "version_mismatch")) {
        setTheirs(await readLink(hopline, base.link.id));
      }
    },
  });
  const save = async (etag: string) => {
    const undo = toUndo(before, draft);
    const saved = await saving.mutateAsync({ update: toUpdate(before, draft), etag });
    take(saved);
    setTheirs(null);
    const putBack = async () => {
      try {
        take(await saving.mutateAsync({ update: undo ?? {}, etag: saved.etag }));
        say("Undone.");
      } catch (error) {
        sayError(error);
      }
    };
    say("Saved.", undo === null ? undefined : () => void putBack());
  };
  // What can't be saved is said in the form.
  const trySave = (etag: string) => void save(etag).catch(() => undefined);
  const leaving = useBlocker({
    shouldBlockFn: () => changed.length > 0,
    enableBeforeUnload: changed.length > 0,
    disabled: changed.length === 0,
    withResolver: true,
  });
  const fault = hasCode(saving.error, "version_mismatch") ? null : saving.error;
  const { link } = base;
  return (
    <>
      <PageHead
        title={link.title ?? formatUrl(link.shortUrl)}
        about={<LinkFacts link={link} timeZone={timeZone} />}
      >
        <Button onClick={() => void copy(link.shortUrl)}>
          <Copy size={16} aria-hidden /> Copy
        </Button>
        <RouterLink
          className={buttonClass({})}
          from="/w/$workspaceId"
          to="/w/$workspaceId/analytics"
          search={{ link: [link.id] }}
        >
          <ChartSpline size={16} aria-hidden /> Analytics
        </RouterLink>
        <a className={buttonClass({})} href={link.shortUrl} target="_blank" rel="noreferrer">
          <ExternalLink size={16} aria-hidden /> Visit
        </a>
        {mayEdit && (
          <IconButton label="Delete this link" isDanger onClick={() => setDeleting(true)}>
            <Trash2 size={16} aria-hidden />
          </IconButton>
        )}
      </PageHead>
      {!mayEdit && (
        <Note>You may look at this link. To change it, ask an admin for the role of an editor.</Note>
      )}
      <div className="editor">
        <Form values={draft} sending={{ ...saving, error: fault }} onSubmit={() => trySave(base.etag)}>
          <fieldset className="stack plain" disabled={!mayEdit}>
            <Destination draft={draft} set={set} link={link} />
            <section className="card stack">
              <h2>Rules</h2>
              <p className="soft">
                From top to bottom, the first rule that matches decides. Where none does, visitors get the
                destination above.
              </p>
              <Suspense fallback={<Skeleton lines={3} height={26} />}>
                <Within path="rules">
                  <RulesEditor rules={draft.rules} onChange={(rules) => set({ rules })} />
                </Within>
              </Suspense>
            </section>
            <section className="card stack">
              <h2>Split</h2>
              <p className="soft">
                Shares of the visitors whom no rule sends elsewhere. The same visitor always gets the same
                one.
              </p>
              <Within path="split">
                <SplitEditor
                  variants={draft.split}
                  firstUrl={draft.url}
                  onChange={(split) => set({ split })}
                />
              </Within>
            </section>
            <Schedule draft={draft} set={set} timeZone={timeZone} />
            <Limits draft={draft} set={set} link={link} />
            <Preview draft={draft} set={set} />
            <UtmFields draft={draft} set={set} />
          </fieldset>
          {mayEdit && (
            <div className="save-bar">
              <SubmitButton isDisabled={changed.length === 0}>
                {saving.isPending && !saving.isPaused ? "Saving…" : "Save"}
              </SubmitButton>
              {changed.length > 0 && (
                <Button kind="quiet" onClick={discard}>
                  Discard
                </Button>
              )}
              <FormState />
              <span className="soft small cut">
                {changed.length === 0
                  ? ""
                  : `Changed: ${changed.map((field) => FIELD_NAMES[field]).join(", ")}`}
              </span>
              {link.version > 0 && changed.length === 0 && (
                <span className="spread">
                  <SpreadLine linkId={link.id} version={link.version} savedAt={link.updatedAt} />
                </span>
              )}
            </div>
          )}
        </Form>
        <aside className="stack" aria-label="Tools">
          <TryIt link={link} isEdited={changed.length > 0} />
          <Suspense>
            <QrCard link={link} />
          </Suspense>
          <Suspense>
            <LinkHistory read={base} isEdited={changed.length > 0} onReverted={take} />
          </Suspense>
        </aside>
      </div>
      <Suspense>
        {theirs !== null && (
          <ConflictDialog
            mine={draft}
            fields={changed}
            theirs={theirs.link}
            isSaving={saving.isPending}
            onKeepMine={() => trySave(theirs.etag)}
            onTakeTheirs={() => {
              take(theirs);
              setTheirs(null);
              saving.reset();
            }}
            onClose={() => setTheirs(null)}
          />
        )}
        {leaving.status === "blocked" && (
          <LeaveDialog
            isSaving={saving.isPending}
            onSave={() => void save(base.etag).then(leaving.proceed, leaving.reset)}
            onDiscard={() => {
              discard();
              leaving.proceed();
            }}
            onStay={leaving.reset}
          />
        )}
        {isDeleting && (
          <ConfirmDelete
            links={[link]}
            onClose={() => setDeleting(false)}
            onDeleted={() =>
              void navigate({ from: "/w/$workspaceId", to: "/w/$workspaceId/links", ignoreBlocker: true })
            }
          />
        )}
      </Suspense>
    </>
  );
}

function countClicks(clicks: number): string {
  return clicks === 1 ? "1 click" : `${formatNumber(clicks)} clicks`;
}

function LinkFacts({ link, timeZone }: { readonly link: Link; readonly timeZone: string }) {
  return (
    <span className="facts-line">
      <StatusMark status={link.status} />
      <span>{formatUrl(link.shortUrl)}</span>
      <span>{countClicks(link.clicks.human)}</span>
      <span title={formatDateTime(link.updatedAt, timeZone)}>
        version {link.version}, {formatAgo(link.updatedAt, Date.now())}
      </span>
    </span>
  );
}

type PartProps = {
  readonly draft: Draft;
  readonly set: SetDraft;
};

const REDIRECTS = [
  { value: "", label: "Domain's default" },
  { value: "302", label: "302, temporary" },
  { value: "301", label: "301, permanent: browsers keep it" },
  { value: "307", label: "307, temporary, keeps the method" },
  { value: "308", label: "308, permanent, keeps the method" },
];

function Destination({ draft, set, link }: PartProps & { readonly link: Link }) {
  return (
    <section className="card stack">
      <h2>Destination</h2>
      <TextField
        label="Visitors go to"
        value={draft.url}
        onChange={(url) => set({ url })}
        onBlur={() => set({ url: withScheme(draft.url) })}
        path="url"
        required
        inputMode="url"
      />
      <div className="two">
        <TextField
          label="Slug"
          hint={
            draft.slug === link.slug
              ? `${link.domain}/${link.slug}`
              : `${link.slug} goes on working until you release it.`
          }
          value={draft.slug}
          onChange={(text) => set({ slug: toSlug(text) })}
          path="slug"
          required
        />
        <TextField
          label="Title"
          dir="auto"
          value={draft.title ?? ""}
          onChange={(title) => set({ title: title === "" ? null : title })}
          path="title"
        />
      </div>
      <div className="two">
        <TagsField tags={draft.tags} onChange={(tags) => set({ tags: [...tags] })} path="tags" />
        <FolderField folderId={draft.folderId} onChange={(folderId) => set({ folderId })} />
      </div>
      <div className="two">
        <SelectField
          label="Redirect"
          value={String(draft.redirectStatus ?? "")}
          onChange={(status) =>
            set({
              redirectStatus: ([301, 302, 307, 308] as const).find((one) => String(one) === status) ?? null,
            })
          }
          path="redirectStatus"
          choices={REDIRECTS}
        />
        <SelectField
          label="Visitor's query string"
          value={draft.forwardQuery}
          onChange={(mode) =>
            set({
              forwardQuery: (["visitor-wins", "link-wins"] as const).find((one) => one === mode) ?? "none",
            })
          }
          path="forwardQuery"
          choices={[
            { value: "none", label: "Not passed on" },
            { value: "visitor-wins", label: "Passed on; the visitor's values win" },
            { value: "link-wins", label: "Passed on; the link's values win" },
          ]}
        />
      </div>
      <Switch
        label="Link is on"
        isOn={draft.status === "live"}
        onChange={(isOn) => set({ status: isOn ? "live" : "disabled" })}
      />
      <FieldError path="status" />
    </section>
  );
}

type InstantFieldProps = Described & {
  readonly value: string | null;
  readonly timeZone: string;
  readonly onChange: (value: string | null) => void;
};

function InstantField({ value, timeZone, onChange, ...described }: InstantFieldProps) {
  return (
    <Field {...described}>
      {(props) => (
        <input
          {...props}
          type="datetime-local"
          value={toWallTime(value, timeZone)}
          onChange={(event) => onChange(fromWallTime(event.currentTarget.value, timeZone))}
        />
      )}
    </Field>
  );
}

function Schedule({ draft, set, timeZone }: PartProps & { readonly timeZone: string }) {
  return (
    <section className="card stack">
      <div className="row wrap">
        <h2>Schedule</h2>
        <span className="soft small">Times in {timeZone.replaceAll("_", " ")}</span>
      </div>
      <div className="two">
        <InstantField
          label="Starts"
          value={draft.startsAt}
          timeZone={timeZone}
          onChange={(startsAt) => set({ startsAt })}
          path="startsAt"
        />
        <InstantField
          label="Ends"
          value={draft.expiresAt}
          timeZone={timeZone}
          onChange={(expiresAt) => set({ expiresAt })}
          path="expiresAt"
        />
      </div>
      <TextField
        label="After the end, visitors go to"
        placeholder="a page that says it has ended"
        value={draft.expiredUrl ?? ""}
        onChange={(url) => set({ expiredUrl: url === "" ? null : url })}
        onBlur={() => set({ expiredUrl: withScheme(draft.expiredUrl ?? "") || null })}
        path="expiredUrl"
      />
      <hr className="divider" />
      <Switch
        label="Change the destination at a time, everywhere at once"
        isOn={draft.next !== null}
        onChange={(isOn) =>
          set({
            next: isOn
              ? { url: draft.url, activateAt: new Date(Date.now() + 86_400_000).toISOString() }
              : null,
          })
        }
      />
      <FieldError path="next" part="itself" />
      {draft.next !== null && (
        <div className="two">
          <TextField
            label="New destination"
            value={draft.next.url}
            onChange={(url) => set({ next: draft.next === null ? null : { ...draft.next, url } })}
            onBlur={() =>
              set({ next: draft.next === null ? null : { ...draft.next, url: withScheme(draft.next.url) } })
            }
            path="next.url"
          />
          <InstantField
            label="From"
            value={draft.next.activateAt}
            timeZone={timeZone}
            path="next.activateAt"
            onChange={(activateAt) =>
              set({
                next: draft.next === null || activateAt === null ? draft.next : { ...draft.next, activateAt },
              })
            }
          />
        </div>
      )}
    </section>
  );
}

function Limits({ draft, set, link }: PartProps & { readonly link: Link }) {
  const { cap, password } = draft;
  const willHavePassword = password === undefined ? link.hasPassword : password !== null;
  return (
    <section className="card stack">
      <h2>Limits</h2>
      <Switch
        label="Limit clicks"
        isOn={cap !== null}
        onChange={(isOn) => set({ cap: isOn ? { mode: "fast", maxClicks: 100 } : null })}
      />
      {cap !== null && (
        <div className="two">
          <TextField
            label="Clicks"
            type="number"
            min={1}
            value={String(cap.maxClicks)}
            onChange={(text) => set({ cap: { ...cap, maxClicks: Math.max(1, Math.trunc(Number(text))) } })}
            hint={link.cap === null ? undefined : `${formatNumber(link.cap.used)} used so far`}
            path="cap.maxClicks"
          />
          <SelectField
            label="How exact"
            path="cap.mode"
            value={cap.mode}
            onChange={(mode) => set({ cap: { ...cap, mode: mode === "strict" ? "strict" : "fast" } })}
            choices={[
              { value: "fast", label: "Fast, may overshoot briefly" },
              { value: "strict", label: "Exact, each click is slower" },
            ]}
          />
        </div>
      )}
      <FieldError path="cap" part="itself" />
      <hr className="divider" />
      <Switch
        label="Ask for a password"
        isOn={willHavePassword}
        onChange={(isOn) => set({ password: isOn ? (link.hasPassword ? undefined : "") : null })}
      />
      {willHavePassword && (
        <NewPasswordField
          label={link.hasPassword ? "New password" : "Password"}
          hint={link.hasPassword ? "Leave it empty to keep the one it has." : "8 characters or more."}
          value={password ?? ""}
          onChange={(text) => set({ password: text === "" && link.hasPassword ? undefined : text })}
          path="password"
          minLength={8}
        />
      )}
    </section>
  );
}

function Preview({ draft, set }: PartProps) {
  const { openGraph } = draft;
  /** A picture that could not be loaded. */
  const [broken, setBroken] = useState<string | null>(null);
  const change = (part: NonNullable<Draft["openGraph"]>) => set({ openGraph: { ...openGraph, ...part } });
  return (
    <section className="card stack">
      <h2>Preview in social networks</h2>
      <p className="soft">Without one, they show what the destination says about itself.</p>
      <FieldError path="openGraph" part="itself" />
      <div className="preview-grid">
        <div className="stack">
          <TextField
            label="Title"
            value={openGraph?.title ?? ""}
            onChange={(title) => change({ title })}
            path="openGraph.title"
          />
          <TextField
            label="Description"
            value={openGraph?.description ?? ""}
            onChange={(description) => change({ description })}
            path="openGraph.description"
          />
          <TextField
            label="Picture"
            placeholder="https://example.com/picture.png"
            value={openGraph?.image ?? ""}
            onChange={(image) => change({ image })}
            onBlur={() => openGraph?.image && change({ image: withScheme(openGraph.image) })}
            path="openGraph.image"
            inputMode="url"
          />
        </div>
        <figure className="og-card" aria-label="How it looks">
          {openGraph?.image !== undefined &&
          openGraph.image.startsWith("https://") &&
          broken !== openGraph.image ? (
            <img src={openGraph.image} alt="" onError={() => setBroken(openGraph.image ?? null)} />
          ) : (
            <div className="og-empty">
              {broken !== null && broken === openGraph?.image && (
                <span>This picture can&rsquo;t be loaded.</span>
              )}
            </div>
          )}
          <figcaption>
            <span className="soft small cut">{formatUrl(draft.url)}</span>
            <strong className="cut">{openGraph?.title || draft.title || "Title"}</strong>
            <span className="soft small">{openGraph?.description || "Description"}</span>
          </figcaption>
        </figure>
      </div>
    </section>
  );
}

const UTM_FIELDS = [
  { name: "source", label: "Source", placeholder: "newsletter" },
  { name: "medium", label: "Medium", placeholder: "email" },
  { name: "campaign", label: "Campaign", placeholder: "spring-sale" },
  { name: "term", label: "Term", placeholder: "" },
  { name: "content", label: "Content", placeholder: "" },
] as const;

function UtmFields({ draft, set }: PartProps) {
  return (
    <section className="card stack">
      <h2>UTM</h2>
      <p className="soft">Added to the destination. Analytics can be filtered by them.</p>
      <FieldError path="utm" part="itself" />
      <div className="three">
        {UTM_FIELDS.map(({ name, label, placeholder }) => (
          <TextField
            key={name}
            label={label}
            placeholder={placeholder}
            value={draft.utm?.[name] ?? ""}
            onChange={(text) => set({ utm: { ...draft.utm, [name]: text } })}
            path={`utm.${name}`}
          />
        ))}
      </div>
    </section>
  );
}
