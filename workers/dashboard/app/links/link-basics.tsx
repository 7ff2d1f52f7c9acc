/** What every link has: where it leads, its address, and how it is found in the list. */
import type { Link, TrashedLink } from "@hopline/client/openapi";
import { isForwardingSlug } from "@hopline/core/link/link-address";
import { hasPlaceholder } from "@hopline/core/link/placeholders";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ask } from "../queries.ts";
import { AddressField, Button, FieldError, fieldsOf, orNull, Switch, TextField } from "../ui/controls.tsx";
import { FolderField } from "./folder-field.tsx";
import type { SectionProps } from "./section-props.ts";
import { TagsField } from "./tags-field.tsx";
import { toSlug } from "./to-slug.ts";
import { useDebounced } from "./use-debounced.ts";
import { withScheme } from "./with-scheme.ts";
import { TAKEN, t } from "./editor-words.ts";

type LinkBasicsProps = SectionProps & {
  readonly domain: string;
  /** Given where a link that there is will do as well. */
  readonly onReuse?: (there: Link) => void;
  /** Behind the destination: the choice of a domain. */
  readonly children?: ReactNode;
};

export function LinkBasics({ draft, set, link, domain, onReuse, children }: LinkBasicsProps) {
  const field = fieldsOf(draft, set);
  const taken = useTaken(draft.slug === link?.slug ? "" : draft.slug, domain);
  const there = useThere(onReuse === undefined ? "" : withScheme(draft.url), domain);
  return (
    <>
      <AddressField
        label={t.destination}
        placeholder="https://example.com/spring"
        hint={isForwardingSlug(draft.slug) && !hasPlaceholder(draft.url) ? t.endItWithOrWritePath : undefined}
        {...field("url")}
        required
        autoFocus={link === null}
      />
      {there !== null && (
        <p className="small" role="status">
          {t.leadsThereAlready(there.shortUrl)}{" "}
          <Button label={t.useThisLink} isSmall onClick={() => onReuse?.(there)} />
        </p>
      )}
      {children}
      <div className="two">
        <TextField
          label={t.slug}
          placeholder={t.chosenForYou}
          hint={
            link === null || draft.slug === link.slug
              ? `${domain}/${draft.slug}${isForwardingSlug(draft.slug) ? t.forwardsWhatFollows : ""}`
              : t.goesOnWorking(link.slug)
          }
          error={taken === null ? undefined : TAKEN[taken]}
          value={draft.slug}
          onChange={(text) => set({ slug: toSlug(text) })}
          path="slug"
          required={link !== null}
        />
        <TextField label={t.title} dir="auto" {...orNull(field("title"))} />
      </div>
      <div className="two">
        <TagsField tags={draft.tags} onChange={(tags) => set({ tags: [...tags] })} path="tags" />
        <FolderField folderId={draft.folder} onChange={(folder) => set({ folder })} />
      </div>
      {link !== null && (
        <>
          <Switch
            label={t.linkIsOn}
            isOn={draft.status === "live"}
            onChange={(isOn) => set({ status: isOn ? "live" : "disabled" })}
          />
          <FieldError path="status" />
        </>
      )}
    </>
  );
}

/** The oldest link on the domain that leads there and works. Asked during typing; an answer that fails is no hindrance. */
function useThere(url: string, domain: string): Link | null {
  const settled = useDebounced(url, 300);
  const { data = null } = useQuery({
    ...ask(["links", "leading to", settled, domain], async (hopline, options) => {
      const asked = { url: settled, domain, status: ["live" as const], sort: "createdAt" as const, limit: 1 };
      return (await hopline.listLinks(asked, options)).data[0] ?? null;
    }),
    enabled: settled !== "" && domain !== "",
  });
  return url === settled ? data : null;
}

/** By what the slug is taken. Asked during typing; an answer that fails is no hindrance. */
function useTaken(slug: string, domain: string): keyof typeof TAKEN | null {
  const settled = useDebounced(slug, 300);
  const { data = null } = useQuery({
    ...ask(["slug", domain, settled], async (hopline, options) => {
      const asked = { slug: settled, ...(domain === "" ? {} : { domain }) };
      const found = await hopline.checkSlug(asked, options);
      if (found.available) {
        return null;
      }
      const { data: trashed } = await hopline.listTrash({ search: found.slug, limit: 100 }, options);
      const isIt = (one: TrashedLink) => one.slug === found.slug && one.domain === found.domain;
      return trashed.some(isIt) ? ("inTrash" as const) : ("byLink" as const);
    }),
    enabled: settled !== "",
  });
  return slug === settled ? data : null;
}
