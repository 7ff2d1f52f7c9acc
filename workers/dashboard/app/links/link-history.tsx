/** What a link was in each of its versions, who made it so, and putting one back. */
import type { LinkVersion } from "@hopline/client/openapi";
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { Undo2 } from "lucide-react";
import { useState } from "react";
import { hasCode } from "../api.ts";
import { useHopline } from "../caches.ts";
import { describeActor } from "../audit/audit-words.ts";
import { differingFields, nameOfField } from "../audit/describe-fields.ts";
import { Differences } from "../audit/differences.tsx";
import { formatAgo, formatDateTime } from "../format.ts";
import { askPages, rowsOf, useMay } from "../queries.ts";
import { Button } from "../ui/controls.tsx";
import { Modal } from "../ui/modal.tsx";
import { ErrorNote, Note, ShowMore, Waiting } from "../ui/page.tsx";
import { say, undoing } from "../ui/toasts.ts";
import { type ReadLink, toReadLink } from "./link-cache.ts";
import { t } from "./editor-words.ts";
import { shared } from "../words.ts";

type LinkHistoryProps = {
  /** As it is stored now. */
  readonly read: ReadLink;
  /** Something is typed that is not saved yet: putting a version back would throw it away. */
  readonly isEdited: boolean;
  readonly onReverted: (newer: ReadLink) => void;
};

export function LinkHistory({ read, isEdited, onReverted }: LinkHistoryProps) {
  const { link } = read;
  const [shown, setShown] = useState<number | null>(null);
  const history = useInfiniteQuery(
    // A new version is another history.
    askPages(["link", link.id, "history", link.version], (hopline, page, options) =>
      hopline.listLinkHistory({ linkId: link.id, limit: 10, ...page }, options),
    ),
  );
  const versions = rowsOf(history);
  const [newest] = versions;
  const chosen = versions.find(({ version }) => version === shown);
  return (
    <section className="card stack" aria-label={t.history}>
      <h2>{t.history}</h2>
      <Waiting query={history} lines={3} height={30} />
      <ol>
        {versions.map((version) => (
          <VersionRow key={version.version} version={version} onShow={() => setShown(version.version)} />
        ))}
      </ol>
      <ShowMore query={history} />
      {chosen !== undefined && newest !== undefined && (
        <VersionDialog
          chosen={chosen}
          newest={newest}
          read={read}
          isEdited={isEdited}
          onReverted={(newer) => {
            // Here: the dialog is gone with the history that is read again.
            setShown(null);
            onReverted(newer);
          }}
          onClose={() => setShown(null)}
        />
      )}
    </section>
  );
}

/** What a version did, in a few words. */
function describeVersion({ version, before, after }: LinkVersion): string {
  const fields = differingFields(before, after);
  return version === 1 || (Object.keys(before).length === 0 && fields.length > 0)
    ? shared.created
    : fields.length === 0
      ? t.publishedAgain
      : fields.map(nameOfField).join(", ");
}

function VersionRow({ version, onShow }: { readonly version: LinkVersion; readonly onShow: () => void }) {
  const { version: number, at, actor } = version;
  return (
    <li>
      <button type="button" className="version" onClick={onShow}>
        <span className="row">
          <strong>{t.versionNumber(number)}</strong>
          <span className="soft small spread" title={formatDateTime(at)}>
            {formatAgo(at, Date.now())}
          </span>
        </span>
        <span className="small">{describeVersion(version)}</span>
        {actor !== null && <span className="small soft">{describeActor(actor)}</span>}
      </button>
    </li>
  );
}

type VersionDialogProps = LinkHistoryProps & {
  readonly chosen: LinkVersion;
  readonly newest: LinkVersion;
  readonly onClose: () => void;
};

function VersionDialog({ chosen, newest, read, isEdited, onReverted, onClose }: VersionDialogProps) {
  const mayEdit = useMay("editor");
  const revert = useRevert(read, onReverted);
  const isNewest = chosen.version === newest.version;
  const isFirst = Object.keys(chosen.before).length === 0;
  // What the trash was is no version to go back to.
  const goesBack =
    chosen.fields["status"] !== "deleted" && differingFields(newest.fields, chosen.fields).length > 0;
  return (
    <Modal title={t.version(chosen.version)} isWide onClose={onClose}>
      <p className="soft">
        {chosen.actor === null ? t.authorNotRecorded : describeActor(chosen.actor)},{" "}
        {formatDateTime(chosen.at)}.
      </p>
      <h3>{isFirst ? t.firstVersion : t.changes}</h3>
      <Differences before={isFirst ? null : chosen.before} after={chosen.after} />
      {!isNewest && (
        <>
          <h3>{t.comparedWithNow}</h3>
          <Differences
            before={newest.fields}
            after={chosen.fields}
            names={[t.now, t.version(chosen.version)]}
          />
        </>
      )}
      {revert.isError && (
        <>
          <ErrorNote error={revert.error} />
          {hasCode(revert.error, "version_mismatch") && <Note>{t.someoneHasChangedLink}</Note>}
        </>
      )}
      {mayEdit && isEdited && !isNewest && <Note>{t.saveOrDiscardYourChanges}</Note>}
      <div className="row">
        <Button label={shared.close} kind="quiet" className="spread" onClick={onClose} />
        {mayEdit && !isNewest && goesBack && (
          <Button
            icon={Undo2}
            label={t.restoreThisVersion}
            kind="primary"
            disabled={isEdited || revert.isPending}
            onClick={() => revert.mutate(chosen.version)}
          />
        )}
      </div>
    </Modal>
  );
}

/** Makes a new version that is as an older one was, unless another member was faster; offers the way back. */
function useRevert({ link, etag }: ReadLink, onReverted: (newer: ReadLink) => void) {
  const hopline = useHopline();
  const putBack = (version: number, ifMatch: string) =>
    toReadLink(
      hopline.revertLink({ linkId: link.id, version: String(version) }, { headers: { "if-match": ifMatch } }),
    );
  return useMutation({
    mutationFn: (version: number) => putBack(version, etag),
    onSuccess: (reverted, version) => {
      onReverted(reverted);
      const undo = undoing(async () => onReverted(await putBack(link.version, reverted.etag)));
      say(t.versionRestored(version), undo);
    },
  });
}
