/**
 * The form of a link. It holds what is edited beside what it began with; saving sends the difference, with the version
 * it was made from. When another member was faster, nothing is overwritten: both wishes are shown.
 */
import type { Link, UpdateLink } from "@hopline/client/openapi";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link as RouterLink, useBlocker, useNavigate } from "@tanstack/react-router";
import { Archive, ArchiveRestore, ChartSpline, Copy, CopyPlus, ExternalLink, Trash2 } from "lucide-react";
import { Suspense, useEffect, useState } from "react";
import { hasCode } from "../api.ts";
import { useHopline } from "../caches.ts";
import { countOf, formatAgo, formatDateTime, formatUrl } from "../format.ts";
import { useMay } from "../queries.ts";
import { Button, buttonClass, IconButton } from "../ui/controls.tsx";
import { copy } from "../ui/copy.ts";
import { Form, FormState, SubmitButton } from "../ui/form.tsx";
import { Note, PageHead } from "../ui/page.tsx";
import { say, undoing } from "../ui/toasts.ts";
import { useKept } from "../ui/use-kept.ts";
import { LinkBasics } from "./link-basics.tsx";
import { linkQuery, patchLinks, readLink, type ReadLink, toReadLink } from "./link-cache.ts";
import { changedFields, type Draft, toDraft, toUndo, toUpdate } from "./link-draft.ts";
import { LinkSections } from "./link-sections.tsx";
import { SectionCard } from "./section-frames.tsx";
import { StatusMark } from "./link-status.tsx";
import { SocialCard } from "./social-card.tsx";
import { linesQuery, Sparkline } from "./sparkline.tsx";
import { SpreadLine } from "./spread-line.tsx";
import { TryIt } from "./try-it.tsx";
import { FIELD_NAMES, t } from "./editor-words.ts";
import { shared } from "../words.ts";
import { lazyPart } from "../ui/lazy-part.ts";

// Dialogs and dragging are libraries of their own.
const ConfirmDelete = lazyPart(() => import("./confirm-delete.tsx"), "ConfirmDelete");
const LinkAddresses = lazyPart(() => import("./link-addresses.tsx"), "LinkAddresses");
const LinkHistory = lazyPart(() => import("./link-history.tsx"), "LinkHistory");
const NewLink = lazyPart(() => import("./new-link.tsx"), "NewLink");
const QrCard = lazyPart(() => import("../qr/qr-card.tsx"), "QrCard");
const ConflictDialog = lazyPart(() => import("./editor-dialogs.tsx"), "ConflictDialog");
const LeaveDialog = lazyPart(() => import("./editor-dialogs.tsx"), "LeaveDialog");

export function LinkEditor({ read }: { readonly read: ReadLink }) {
  const hopline = useHopline();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const mayEdit = useMay("editor");
  const [{ base, draft }, setEdited, forget] = useKept("editor", { base: read, draft: toDraft(read.link) });
  const [theirs, setTheirs] = useState<ReadLink | null>(null);
  const [asked, setAsked] = useState<"deletion" | "duplicate" | null>(null);
  const before = toDraft(base.link);
  const changed = changedFields(before, draft);
  const set = (change: Partial<Draft>) => setEdited((old) => ({ draft: { ...old.draft, ...change } }));
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
  // The page was opened with a copy from before; nothing has been typed yet.
  useEffect(() => {
    if (read.link.version > base.link.version && changed.length === 0) {
      take(read);
    }
  }, [read]);

  const saving = useMutation({
    mutationFn: ({ update, etag }: { readonly update: UpdateLink; readonly etag: string }) =>
      toReadLink(
        hopline.updateLink({ linkId: base.link.id, body: update }, { headers: { "if-match": etag } }),
      ),
    // A connection that has just come back may not carry the first request. Sent twice it does no harm: it names its version.
    retry: (failures, error) => error instanceof TypeError && failures < 3,
    retryDelay: 500,
    onError: async (error) => {
      if (hasCode(error, "version_mismatch")) {
        setTheirs(await readLink(hopline, base.link.id));
      }
    },
  });
  const save = async ({ etag }: ReadLink = base, after = draft, said = t.saved) => {
    const undo = toUndo(before, after);
    const saved = await saving.mutateAsync({ update: toUpdate(before, after), etag });
    take(saved);
    setTheirs(null);
    const putBack = undoing(async () =>
      take(await saving.mutateAsync({ update: undo ?? {}, etag: saved.etag })),
    );
    say(said, undo === null ? undefined : putBack);
  };
  // What can't be saved is said in the form.
  const trySave = (...change: Parameters<typeof save>) => void save(...change).catch(() => undefined);
  const leaving = useBlocker({
    shouldBlockFn: () => changed.length > 0,
    enableBeforeUnload: changed.length > 0,
    disabled: changed.length === 0,
    withResolver: true,
  });
  const fault = hasCode(saving.error, "version_mismatch") ? null : saving.error;
  const { link } = base;
  const isArchived = link.status === "archived";
  return (
    <>
      <PageHead title={link.title ?? formatUrl(link.shortUrl)} about={<LinkFacts link={link} />}>
        <Button icon={Copy} label={shared.copy} onClick={() => void copy(link.shortUrl)} />
        <RouterLink
          className={buttonClass({})}
          from="/w/$workspaceId"
          to="/w/$workspaceId/analytics"
          search={{ link: [link.id] }}
        >
          <ChartSpline size={16} aria-hidden /> {shared.analytics}
        </RouterLink>
        <a className={buttonClass({})} href={link.shortUrl} target="_blank" rel="noreferrer">
          <ExternalLink size={16} aria-hidden /> {t.visit}
        </a>
        {mayEdit && (
          <>
            <Button icon={CopyPlus} label={t.duplicate} onClick={() => setAsked("duplicate")} />
            <IconButton
              isLarge
              icon={isArchived ? ArchiveRestore : Archive}
              label={isArchived ? t.unarchive : t.archive}
              disabled={changed.length > 0 || saving.isPending}
              onClick={() =>
                isArchived
                  ? trySave(base, { ...draft, status: "live" }, t.linkRestored)
                  : trySave(base, { ...draft, status: "archived" }, t.linkArchived)
              }
            />
            <IconButton
              isLarge
              icon={Trash2}
              label={t.deleteThisLink}
              isDanger
              onClick={() => setAsked("deletion")}
            />
          </>
        )}
      </PageHead>
      {!mayEdit && <Note>{t.youCanViewThisLinkToChange}</Note>}
      <div className="editor">
        <Form
          values={draft}
          sending={{ ...saving, error: fault }}
          onSubmit={() => changed.length > 0 && trySave()}
          isMain
        >
          <fieldset className="stack plain" disabled={!mayEdit}>
            <section className="card stack">
              <h2>{shared.link}</h2>
              <LinkBasics draft={draft} set={set} link={link} domain={link.domain} />
            </section>
            <LinkSections draft={draft} set={set} link={link} Around={SectionCard} />
          </fieldset>
          {mayEdit && (
            <div className="save-bar">
              <SubmitButton
                submit={saving.isPending && !saving.isPaused ? t.saving : shared.save}
                isDisabled={changed.length === 0}
              />
              {changed.length > 0 && <Button label={t.discard} kind="quiet" onClick={discard} />}
              <FormState />
              <span className="soft small cut">
                {changed.length === 0 ? "" : t.changed(changed.map((field) => FIELD_NAMES[field]).join(", "))}
              </span>
              {link.version > 0 && changed.length === 0 && (
                <span className="spread">
                  <SpreadLine linkId={link.id} version={link.version} savedAt={link.updatedAt} />
                </span>
              )}
            </div>
          )}
        </Form>
        <aside className="stack" aria-label={t.tools}>
          <SocialCard draft={draft} />
          <Suspense>
            <QrCard link={link} kept={draft.qr} />
          </Suspense>
          <TryIt link={link} isEdited={changed.length > 0} />
          {link.aliases.length > 0 && (
            <Suspense>
              <LinkAddresses link={link} isEdited={changed.length > 0} onReleased={take} />
            </Suspense>
          )}
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
            onKeepMine={() => trySave(theirs)}
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
            onSave={() => void save().then(leaving.proceed, leaving.reset)}
            onDiscard={() => {
              discard();
              leaving.proceed();
            }}
            onStay={leaving.reset}
          />
        )}
        {asked === "duplicate" && <NewLink copied={link} onClose={() => setAsked(null)} />}
        {asked === "deletion" && (
          <ConfirmDelete
            links={[link]}
            onClose={() => setAsked(null)}
            onDeleted={() =>
              void navigate({ from: "/w/$workspaceId", to: "/w/$workspaceId/links", ignoreBlocker: true })
            }
          />
        )}
      </Suspense>
    </>
  );
}

function LinkFacts({ link }: { readonly link: Link }) {
  const { data: lines } = useQuery(linesQuery([link.id]));
  return (
    <span className="facts-line">
      <StatusMark status={link.status} />
      <span>{formatUrl(link.shortUrl)}</span>
      <span>
        <Sparkline points={lines?.get(link.id)} />{" "}
        <RouterLink from="/w/$workspaceId" to="/w/$workspaceId/analytics" search={{ link: [link.id] }}>
          {countOf(link.clicks.human, "click")}
        </RouterLink>
      </span>
      <span title={formatDateTime(link.updatedAt)}>
        {t.versionUpdatedAt(link.version, formatAgo(link.updatedAt, Date.now()))}
      </span>
    </span>
  );
}
