/** A new link: its destination, and a name for it if one is wanted. Everything else is on its page. */
import type { CreateLink, Link } from "@hopline/client/openapi";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link as RouterLink } from "@tanstack/react-router";
import { Copy } from "lucide-react";
import { useState } from "react";
import { useHopline } from "../caches.ts";
import { domainsQuery } from "../queries.ts";
import { Button, buttonClass, SelectField, TextField } from "../ui/controls.tsx";
import { copy } from "../ui/copy.ts";
import { Form, FormEnd } from "../ui/form.tsx";
import { Modal } from "../ui/modal.tsx";
import { useKept } from "../ui/use-kept.ts";
import { toDraft } from "./link-draft.ts";
import { readListsAgain } from "./link-cache.ts";
import { TagsField } from "./tags-field.tsx";
import { toSlug } from "./to-slug.ts";
import { useDebounced } from "./use-debounced.ts";
import { withScheme } from "./with-scheme.ts";

type NewLinkProps = {
  /** What it begins as, but for its slug. */
  readonly copied: Link | null;
  readonly onClose: () => void;
};

export function NewLink({ copied, onClose }: NewLinkProps) {
  const [made, setMade] = useState<Link | null>(null);
  return (
    <Modal
      title={made !== null ? "Your link is live" : copied === null ? "New link" : `Duplicate ${copied.slug}`}
      isOpen
      onClose={onClose}
    >
      {made === null ? (
        <NewLinkForm copied={copied} onMade={setMade} onCancel={onClose} />
      ) : (
        <>
          <p className="made-link">
            <a href={made.shortUrl} target="_blank" rel="noreferrer">
              {made.shortUrl}
            </a>
          </p>
          <div className="row wrap">
            <Button kind="primary" onClick={() => void copy(made.shortUrl)} autoFocus>
              <Copy size={16} aria-hidden /> Copy
            </Button>
            <RouterLink
              className={buttonClass({})}
              from="/w/$workspaceId"
              to="/w/$workspaceId/links/$linkId"
              params={{ linkId: made.id }}
            >
              Rules, schedule and more
            </RouterLink>
            <Button kind="quiet" className="spread" onClick={() => setMade(null)}>
              Create another
            </Button>
          </div>
        </>
      )}
    </Modal>
  );
}

/** What a copy has besides the fields of the dialog. A password can't be copied: nobody knows it. */
function toCopy(link: Link): Partial<CreateLink> {
  const { slug: _slug, status: _status, password: _password, ...rest } = toDraft(link);
  const { redirectStatus, ...fields } = rest;
  return { ...fields, ...(redirectStatus === null ? {} : { redirectStatus }) };
}

const NO_LINK = { url: "", slug: "", domain: "", title: "", tags: [] as readonly string[] };

type NewLinkFormProps = {
  readonly copied: Link | null;
  readonly onMade: (link: Link) => void;
  readonly onCancel: () => void;
};

function NewLinkForm({ copied, onMade, onCancel }: NewLinkFormProps) {
  const hopline = useHopline();
  const queryClient = useQueryClient();
  const { data: domains = [] } = useQuery(domainsQuery);
  const active = domains.filter(({ status }) => status === "active");
  const [draft, set, forget] = useKept(
    `new link ${copied?.id ?? ""}`,
    copied === null
      ? NO_LINK
      : { ...NO_LINK, url: copied.url, domain: copied.domain, title: copied.title ?? "", tags: copied.tags },
  );
  const { url, slug, domain, title, tags } = draft;
  const making = useMutation({
    mutationFn: () =>
      hopline.createLink({
        body: {
          ...(copied === null ? {} : toCopy(copied)),
          url: withScheme(url),
          tags: [...tags],
          ...(slug === "" ? {} : { slug }),
          ...(domain === "" ? {} : { domain }),
          ...(title === "" ? {} : { title }),
        },
      }),
    onSuccess: async (link) => {
      forget();
      onMade(link);
      await readListsAgain(queryClient);
    },
  });
  const taken = useIsTaken(slug, domain);
  return (
    <Form values={draft} sending={making} onSubmit={() => making.mutate()}>
      <TextField
        label="Destination"
        placeholder="https://example.com/spring"
        value={url}
        onChange={(text) => set({ url: text })}
        path="url"
        required
        autoFocus
        inputMode="url"
      />
      {active.length > 1 && (
        <SelectField
          label="Domain"
          value={domain === "" ? (active[0]?.host ?? "") : domain}
          onChange={(host) => set({ domain: host })}
          path="domain"
          choices={active.map(({ host }) => ({ value: host, label: host }))}
        />
      )}
      <TextField
        label="Slug"
        placeholder="chosen for you"
        hint={
          slug === ""
            ? "The part after the host."
            : `${active[0] === undefined ? "" : domain || active[0].host}/${slug}`
        }
        value={slug}
        onChange={(text) => set({ slug: toSlug(text) })}
        path="slug"
        error={taken ? "This slug is taken." : undefined}
      />
      <TextField
        label="Title"
        dir="auto"
        value={title}
        onChange={(text) => set({ title: text })}
        path="title"
      />
      <TagsField tags={tags} onChange={(names) => set({ tags: names })} path="tags" />
      <FormEnd
        submit="Create link"
        onCancel={() => {
          forget();
          onCancel();
        }}
      />
    </Form>
  );
}

/** Asked while somebody types; an answer that fails is no hindrance. */
function useIsTaken(slug: string, domain: string): boolean {
  const hopline = useHopline();
  const settled = useDebounced(slug, 300);
  const { data } = useQuery({
    queryKey: ["slug", domain, settled],
    queryFn: ({ signal }) =>
      hopline.checkSlug({ slug: settled, ...(domain === "" ? {} : { domain }) }, { signal }),
    enabled: settled !== "",
  });
  return slug === settled && data?.available === false;
}
