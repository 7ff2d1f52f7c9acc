/** Search as you type, and filters whose chips the address holds. */
import type { Folder as FolderOfList } from "@hopline/client/openapi";
import { useQuery } from "@tanstack/react-query";

import { Folder, FolderPlus, FolderX, Pencil, Settings2, Tag, Trash2 } from "lucide-react";
import { type RefObject, Suspense, useState } from "react";
import { formatNumber } from "../format.ts";
import { domainsQuery, foldersQuery, tagsQuery, useMay } from "../queries.ts";
import { useTagColors } from "../tags/tag-colors.ts";
import { TagDot } from "../tags/tag-dot.tsx";
import { Button, FilterChip, IconButton, Select } from "../ui/controls.tsx";
import { NameForm } from "../ui/name-form.tsx";
import { Popup } from "../ui/popup-menu.tsx";
import { useSending } from "../use-sending.ts";
import { type ClearableSearch, type LinksSearch, NO_FOLDER, STATUSES } from "./links-search.ts";
import { SearchField } from "./search-field.tsx";
import { STATUS_NAMES, t } from "./words.ts";
import { shared } from "../words.ts";
import { lazyPart } from "../ui/lazy-part.ts";

const FolderDefaults = lazyPart(() => import("./folder-defaults.tsx"), "FolderDefaults");
const TagsDialog = lazyPart(() => import("../tags/tags-dialog.tsx"), "TagsDialog");

type LinkFiltersProps = {
  readonly search: LinksSearch;
  readonly onChange: (change: ClearableSearch) => void;
  readonly searchField: RefObject<HTMLInputElement | null>;
};

export function LinkFilters({ search, onChange, searchField }: LinkFiltersProps) {
  const { data: domains = [] } = useQuery(domainsQuery);
  const { data: folders = [] } = useQuery(foldersQuery);
  const colors = useTagColors();
  const folder = folders.find(({ id }) => id === search.folder);
  return (
    <div className="stack tight">
      <div className="row wrap filters">
        <SearchField
          label={t.searchLinks}
          placeholder={t.searchLinksOrSlug}
          q={search.q ?? ""}
          onChange={(q) => onChange({ q })}
          field={searchField}
          shortcut="/"
        />
        <Select
          aria-label={t.status}
          value={search.status?.[0] ?? ""}
          onChange={(status) => onChange({ status: STATUSES.filter((one) => one === status) })}
          choices={[
            { value: "", label: shared.active },
            ...STATUSES.map((status) => ({ value: status, label: STATUS_NAMES[status] })),
          ]}
        />
        {domains.length > 1 && (
          <Select
            aria-label={shared.domain}
            value={search.domain ?? ""}
            onChange={(domain) => onChange({ domain: domain === "" ? undefined : domain })}
            choices={[
              { value: "", label: t.allDomains },
              ...domains.map(({ host }) => ({ value: host, label: host })),
            ]}
          />
        )}
        <TagFilter chosen={search.tag ?? []} onChange={(tag) => onChange({ tag })} />
        <FolderFilter chosen={search.folder} onChange={(id) => onChange({ folder: id })} />
      </div>
      {(search.tag !== undefined || search.folder !== undefined) && (
        <div className="row wrap" role="group" aria-label={shared.filters}>
          {search.folder !== undefined && (
            <FilterChip
              text={search.folder === NO_FOLDER ? t.inNoFolder : `in ${folder?.name ?? t.aFolder}`}
              onRemove={() => onChange({ folder: undefined })}
            />
          )}
          {(search.tag ?? []).map((tag) => (
            <FilterChip
              key={tag}
              text={tag}
              mark={<TagDot color={colors.get(tag)} />}
              onRemove={() => onChange({ tag: (search.tag ?? []).filter((one) => one !== tag) })}
            />
          ))}
        </div>
      )}
    </div>
  );
}

type TagFilterProps = { readonly chosen: readonly string[]; readonly onChange: (tags: string[]) => void };

function TagFilter({ chosen, onChange }: TagFilterProps) {
  const { data: tags = [] } = useQuery(tagsQuery);
  const mayEdit = useMay("editor");
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [isManaging, setManaging] = useState(false);
  const onRenamed = (from: string, to: string | null) => {
    if (chosen.includes(from)) {
      onChange([...new Set(chosen.flatMap((one) => (one === from ? (to ?? []) : one)))]);
    }
  };
  const shown = tags.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
  return (
    <>
      <Popup
        title={t.filterByTags}
        isOpen={isOpen}
        onOpenChange={setOpen}
        trigger={<Button icon={Tag} label={shared.tags} />}
      >
        <div className="stack tight">
          <input
            className="input"
            aria-label={t.findTag}
            placeholder={t.findTag}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          {shown.length === 0 && <p className="soft small">{t.tagsLinksShowUpHere}</p>}
          <ul>
            {shown.map(({ name: tag, links, color }) => (
              <li key={tag}>
                <label className="menu-item">
                  <input
                    type="checkbox"
                    className="checkbox"
                    checked={chosen.includes(tag)}
                    onChange={() =>
                      onChange(chosen.includes(tag) ? chosen.filter((one) => one !== tag) : [...chosen, tag])
                    }
                  />
                  <TagDot color={color} />
                  <span className="cut">{tag}</span>
                  <span className="soft small spread">{formatNumber(links)}</span>
                </label>
              </li>
            ))}
          </ul>
          {mayEdit && (
            <Button
              icon={Pencil}
              label={t.manageTags}
              isSmall
              onClick={() => {
                setOpen(false);
                setManaging(true);
              }}
            />
          )}
        </div>
      </Popup>
      <Suspense>
        {isManaging && <TagsDialog onClose={() => setManaging(false)} onRenamed={onRenamed} />}
      </Suspense>
    </>
  );
}

/** The API counts no further. */
const COUNTED_LINKS = 1_000;

type FolderFilterProps = {
  readonly chosen: string | undefined;
  readonly onChange: (folderId: string | undefined) => void;
};

function FolderFilter({ chosen, onChange }: FolderFilterProps) {
  const { data: folders = [] } = useQuery(foldersQuery);
  const mayEdit = useMay("editor");
  const [isOpen, setOpen] = useState(false);
  /** The folder that is being renamed; with an empty id a new one. */
  const [edited, setEdited] = useState<{ readonly id: string; readonly name: string } | null>(null);
  const [defaultsOf, setDefaultsOf] = useState<FolderOfList | null>(null);
  const choose = (folderId: string) => {
    onChange(folderId === chosen ? undefined : folderId);
    setOpen(false);
  };
  const saving = useSending({
    send: (hopline, name: string) =>
      edited === null || edited.id === ""
        ? hopline.createFolder({ body: { name } })
        : hopline.updateFolder({ folderId: edited.id, body: { name } }),
    rereads: ["folders"],
    onSent: () => setEdited(null),
  });
  const deleting = useSending({
    send: (hopline, folderId: string) => hopline.deleteFolder({ folderId }),
    rereads: ["folders"],
    onSent: (_deleted, folderId) => folderId === chosen && onChange(undefined),
    isBare: true,
  });
  return (
    <>
      <Popup
        title={t.filterByFolder}
        isOpen={isOpen}
        onOpenChange={setOpen}
        trigger={<Button icon={Folder} label={t.folders} />}
      >
        <div className="stack tight">
          {folders.length === 0 && <p className="soft small">{t.useFoldersForCampaigns}</p>}
          <ul>
            {folders.length > 0 && (
              <li>
                <button
                  type="button"
                  className="menu-item"
                  aria-pressed={chosen === NO_FOLDER}
                  onClick={() => choose(NO_FOLDER)}
                >
                  <FolderX size={15} aria-hidden /> {t.noFolder}
                </button>
              </li>
            )}
            {folders.map((folder) => (
              <li key={folder.id} className="row">
                <button
                  type="button"
                  className="menu-item"
                  aria-pressed={folder.id === chosen}
                  onClick={() => choose(folder.id)}
                >
                  <Folder size={15} aria-hidden />
                  <span className="cut">{folder.name}</span>
                  <span className="soft small spread">
                    {formatNumber(folder.links)}
                    {folder.links >= COUNTED_LINKS && "+"}
                  </span>
                </button>
                {mayEdit && (
                  <>
                    <IconButton
                      icon={Pencil}
                      label={t.renameFolder(folder.name)}
                      onClick={() => setEdited(folder)}
                    />
                    <IconButton
                      icon={Settings2}
                      label={t.defaultsNewLinksIn(folder.name)}
                      onClick={() => {
                        setOpen(false);
                        setDefaultsOf(folder);
                      }}
                    />
                    <IconButton
                      icon={Trash2}
                      label={t.deleteLinksStay(folder.name)}
                      onClick={() => deleting.mutate(folder.id)}
                    />
                  </>
                )}
              </li>
            ))}
          </ul>
          {mayEdit && edited === null && (
            <Button
              icon={FolderPlus}
              label={t.newFolder}
              isSmall
              onClick={() => setEdited({ id: "", name: "" })}
            />
          )}
          {edited !== null && (
            <NameForm
              key={edited.id}
              label={t.nameFolder}
              name={edited.name}
              submit={shared.save}
              sending={saving}
              onSubmit={saving.mutate}
              onCancel={() => setEdited(null)}
            />
          )}
        </div>
      </Popup>
      <Suspense>
        {defaultsOf !== null && <FolderDefaults folder={defaultsOf} onClose={() => setDefaultsOf(null)} />}
      </Suspense>
    </>
  );
}
