/** What every link has: where it leads, its address, and how it is found in the list. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useHopline } from "../caches.ts";
import { FieldError, Switch, TextField } from "../ui/controls.tsx";
import { FolderField } from "./folder-field.tsx";
import type { SectionProps } from "./section-props.ts";
import { TagsField } from "./tags-field.tsx";
import { toSlug } from "./to-slug.ts";
import { useDebounced } from "./use-debounced.ts";
import { withScheme } from "./with-scheme.ts";

type LinkBasicsProps = SectionProps & {
  readonly domain: string;
  /** Behind the destination: the choice of a domain. */
  readonly children?: ReactNode;
};

export function LinkBasics({ draft, set, link, domain, children }: LinkBasicsProps) {
  const isTaken = useIsTaken(draft.slug === link?.slug ? "" : draft.slug, domain);
  return (
    <>
      <TextField
        label="Destination"
        placeholder="https://example.com/spring"
        value={draft.url}
        onChange={(url) => set({ url })}
        onBlur={() => set({ url: withScheme(draft.url) })}
        path="url"
        required
        autoFocus={link === null}
        inputMode="url"
      />
      {children}
      <div className="two">
        <TextField
          label="Slug"
          placeholder="chosen for you"
          hint={
            link === null || draft.slug === link.slug
              ? `${domain}/${draft.slug}`
              : `${link.slug} goes on working until you release it.`
          }
          error={isTaken ? "This slug is taken." : undefined}
          value={draft.slug}
          onChange={(text) => set({ slug: toSlug(text) })}
          path="slug"
          required={link !== null}
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
        <FolderField folderId={draft.folder} onChange={(folder) => set({ folder })} />
      </div>
      {link !== null && (
        <>
          <Switch
            label="Link is on"
            isOn={draft.status === "live"}
            onChange={(isOn) => set({ status: isOn ? "live" : "disabled" })}
          />
          <FieldError path="status" />
        </>
      )}
    </>
  );
}

/** Asked during typing; an answer that fails is no hindrance. */
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
