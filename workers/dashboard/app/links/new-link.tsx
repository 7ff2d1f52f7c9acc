/** A new link: its destination, and a name for it if one is wanted. Everything else is on its page. */
import type { Link } from "@hopline/client/openapi";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link as RouterLink } from "@tanstack/react-router";
import { Copy } from "lucide-react";
import { useState } from "react";
import { useHopline } from "../caches.ts";
import { domainsQuery } from "../queries.ts";
import { Button, buttonClass, SelectField, TextField } from "../ui/controls.tsx";
import { copy } from "../ui/copy.ts";
import { FaultSummary, Form, useFaults } from "../ui/form.tsx";
import { Modal } from "../ui/modal.tsx";
import { readListsAgain } from "./link-cache.ts";
import { TagsField } from "./tags-field.tsx";
import { toSlug } from "./to-slug.ts";
import { useDebounced } from "./use-debounced.ts";
import { withScheme } from "./with-scheme.ts";

export function NewLink({ onClose }: { readonly onClose: () => void }) {
  const [made, setMade] = useState<Link | null>(null);
  return (
    <Modal title={made === null ? "New link" : "Your link is live"} isOpen onClose={onClose}>
      {made === null ? (
        <NewLinkForm onMade={setMade} onCancel={onClose} />
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
              Another one
            </Button>
          </div>
        </>
      )}
    </Modal>
  );
}

type NewLinkFormProps = { readonly onMade: (link: Link) => void; readonly onCancel: () => void };

function NewLinkForm({ onMade, onCancel }: NewLinkFormProps) {
  const hopline = useHopline();
  const queryClient = useQueryClient();
  const { data: domains = [] } = useQuery(domainsQuery);
  const active = domains.filter(({ status }) => status === "active");
  const [url, setUrl] = useState("");
  const [slug, setSlug] = useState("");
  const [domain, setDomain] = useState("");
  const [title, setTitle] = useState("");
  const [tags, setTags] = useState<readonly string[]>([]);
  const making = useMutation({
    mutationFn: () =>
      hopline.createLink({
        body: {
          url: withScheme(url),
          tags: [...tags],
          ...(slug === "" ? {} : { slug }),
          ...(domain === "" ? {} : { domain }),
          ...(title === "" ? {} : { title }),
        },
      }),
    onSuccess: async (link) => {
      onMade(link);
      await readListsAgain(queryClient);
    },
  });
  const fields = { url, slug, title, tags, ...(active.length > 1 ? { domain } : {}) };
  const faults = useFaults(making.error, fields);
  const taken = useIsTaken(slug, domain);
  return (
    <Form error={making.error} onSubmit={() => making.mutate()}>
      <TextField
        label="Destination"
        placeholder="https://example.com/spring"
        value={url}
        onChange={setUrl}
        error={faults.get("url")}
        required
        autoFocus
        inputMode="url"
      />
      {active.length > 1 && (
        <SelectField
          label="Domain"
          value={domain === "" ? (active[0]?.host ?? "") : domain}
          onChange={setDomain}
          error={faults.get("domain")}
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
        onChange={(text) => setSlug(toSlug(text))}
        error={faults.get("slug") ?? (taken ? "This slug is taken." : undefined)}
      />
      <TextField label="Title" dir="auto" value={title} onChange={setTitle} error={faults.get("title")} />
      <TagsField tags={tags} onChange={setTags} error={faults.get("tags")} />
      <FaultSummary error={making.error} faults={faults} fields={Object.keys(fields)} />
      <div className="row">
        <Button kind="quiet" className="spread" onClick={onCancel}>
          Cancel
        </Button>
        <Button kind="primary" type="submit" disabled={making.isPending}>
          Make link
        </Button>
      </div>
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
