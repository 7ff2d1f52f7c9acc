/** A new link: its basics, and in sections that open everything else that a link may have. */
import type { Link } from "@hopline/client/openapi";
import { useQuery } from "@tanstack/react-query";
import { Link as RouterLink } from "@tanstack/react-router";
import { Copy } from "lucide-react";
import { Suspense, useState } from "react";
import { domainsQuery } from "../queries.ts";
import { Button, buttonClass, SelectField } from "../ui/controls.tsx";
import { copy } from "../ui/copy.ts";
import { Form, FormEnd } from "../ui/form.tsx";
import { Modal } from "../ui/modal.tsx";
import { useKept } from "../ui/use-kept.ts";
import { useSending } from "../use-sending.ts";
import { LinkBasics } from "./link-basics.tsx";
import { FilledChips } from "./filled-chips.tsx";
import { FirstStep, LinksNeedDomain, useFirstStep } from "./first-domain.tsx";
import { describeFilled, leaveOut } from "./link-defaults.ts";
import { type Draft, NEW_DRAFT, toCreate, toDraft } from "./link-draft.ts";
import { LinkSections } from "./link-sections.tsx";
import { SectionFold } from "./section-frames.tsx";
import { readListsAgain } from "./link-cache.ts";
import { SocialCard } from "./social-card.tsx";
import { withScheme } from "./with-scheme.ts";
import { t } from "./editor-words.ts";
import { shared } from "../words.ts";
import { lazyPart } from "../ui/lazy-part.ts";

// Drawing codes is a library of its own.
const DraftCode = lazyPart(() => import("../qr/draft-code.tsx"), "DraftCode");

type NewLinkProps = {
  /** What it begins as, but for its slug. */
  readonly copied: Link | null;
  /** What it begins with. */
  readonly address?: Pick<NewDraft, "domain" | "slug">;
  readonly onClose: () => void;
};

export function NewLink(props: NewLinkProps) {
  const { copied, address, onClose } = props;
  const [made, setMade] = useState<Link | null>(null);
  const needsDomain = useFirstStep() !== null;
  return (
    <Modal
      title={
        made !== null ? t.yourLinkIsLive : copied === null ? shared.newLink : t.duplicateSlug(copied.slug)
      }
      isWide={made === null && !needsDomain}
      onClose={onClose}
    >
      {needsDomain ? (
        <>
          <p>
            <LinksNeedDomain />
          </p>
          <div>
            <FirstStep onLeave={onClose} />
          </div>
        </>
      ) : made === null ? (
        <NewLinkForm {...props} onMade={setMade} />
      ) : (
        <>
          <p className="made-link">
            <a href={made.shortUrl} target="_blank" rel="noreferrer">
              {made.shortUrl}
            </a>
          </p>
          {made.filled !== undefined && (
            <p className="soft small">
              {t.filledByDefaultsOfFilled(made.filled.map(describeFilled).join(", "))}
            </p>
          )}
          <div className="row wrap">
            <Button
              icon={Copy}
              label={shared.copy}
              kind="primary"
              onClick={() => void copy(made.shortUrl)}
              autoFocus
            />
            <RouterLink
              className={buttonClass({})}
              from="/w/$workspaceId"
              to="/w/$workspaceId/links/$linkId"
              params={{ linkId: made.id }}
              onClick={onClose}
            >
              {t.openLinksPage}
            </RouterLink>
            {address === undefined && (
              <Button label={t.createAnother} kind="quiet" onClick={() => setMade(null)} />
            )}
            <Button label={shared.done} kind="quiet" className="spread" onClick={onClose} />
          </div>
        </>
      )}
    </Modal>
  );
}

type NewDraft = Draft & {
  readonly domain: string;
  /** Fields that no default is to fill. */
  readonly without: readonly string[];
};

function begin(copied: Link | null): NewDraft {
  return copied === null
    ? { ...NEW_DRAFT, domain: "", without: [] }
    : { ...toDraft(copied), slug: "", status: "live", domain: copied.domain, without: [] };
}

type NewLinkFormProps = NewLinkProps & { readonly onMade: (link: Link) => void };

function NewLinkForm({ copied, address, onMade, onClose }: NewLinkFormProps) {
  const { data: domains = [] } = useQuery(domainsQuery);
  const active = domains.filter(({ status }) => status === "active");
  const [draft, set, forget] = useKept(`new link ${copied?.id ?? Object.values(address ?? {}).join("/")}`, {
    ...begin(copied),
    ...address,
  });
  const { domain, without, ...ofLink } = draft;
  const host = domain === "" ? (active[0]?.host ?? "") : domain;
  const making = useSending({
    send: (hopline) =>
      hopline.createLink({
        body: {
          ...leaveOut(toCreate({ ...ofLink, url: withScheme(ofLink.url) }), without),
          ...(domain === "" ? {} : { domain }),
        },
      }),
    onSent: (link, _given, cache) => {
      forget();
      onMade(link);
      return readListsAgain(cache);
    },
  });
  return (
    <Form values={draft} sending={making} onSubmit={() => making.mutate()} className="builder" isMain>
      <div className="stack">
        <LinkBasics
          draft={ofLink}
          set={set}
          link={null}
          domain={host}
          onReuse={(there) => {
            forget();
            onMade(there);
          }}
        >
          {active.length > 1 && (
            <SelectField
              label={shared.domain}
              value={host}
              onChange={(chosen) => set({ domain: chosen })}
              path="domain"
              choices={active.map(({ host: value }) => ({ value, label: value }))}
            />
          )}
        </LinkBasics>
        <FilledChips
          draft={ofLink}
          domain={active.find((one) => one.host === host)}
          without={without}
          onLeaveOut={(field) => set({ without: [...without, field] })}
        />
        <div>
          <LinkSections draft={ofLink} set={set} link={null} Around={SectionFold} />
        </div>
      </div>
      <aside className="stack" aria-label={t.howItLooks}>
        <SocialCard draft={ofLink} />
        {draft.slug === "" || host === "" ? (
          <p className="small soft">{t.withSlugYourOwnQrCode}</p>
        ) : (
          <Suspense>
            <div className="qr-ground">
              <DraftCode domain={host} slug={draft.slug} kept={draft.qr} />
            </div>
          </Suspense>
        )}
      </aside>
      <FormEnd
        submit={t.createLink}
        onCancel={() => {
          forget();
          onClose();
        }}
      />
    </Form>
  );
}
