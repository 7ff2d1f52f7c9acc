/**
 * Which links a new key or a member may see: by domain, folder, tag, or its own; what is left empty bounds nothing. Or that it only creates
 * some, from a web page.
 */
import { useQuery } from "@tanstack/react-query";
import { domainsQuery, foldersQuery, tagsQuery } from "../queries.ts";
import { Checkbox, FieldError, TextField } from "../ui/controls.tsx";
import { TokensField } from "../ui/tokens-field.tsx";
import type { KeyBounds } from "./describe-key.ts";
import { t } from "./words.ts";

export type BoundsDraft = {
  readonly domains: readonly string[];
  readonly folders: readonly string[];
  readonly tags: readonly string[];
  readonly ownLinks: boolean;
  readonly isCreateOnly: boolean;
  readonly origins: readonly string[];
  readonly destinationHosts: readonly string[];
  readonly linksPerMinute: string;
};

export const NO_BOUNDS: BoundsDraft = {
  domains: [],
  folders: [],
  tags: [],
  ownLinks: false,
  isCreateOnly: false,
  origins: [],
  destinationHosts: [],
  linksPerMinute: "30",
};

/** `null`: all links. */
export function toBounds({ domains, folders, tags, ownLinks, ...draft }: BoundsDraft): KeyBounds | null {
  const { isCreateOnly, origins, destinationHosts, linksPerMinute } = draft;
  const bounds = {
    ...(domains.length === 0 ? {} : { domains: [...domains] }),
    ...(folders.length === 0 ? {} : { folders: [...folders] }),
    ...(tags.length === 0 ? {} : { tags: [...tags] }),
    ...(ownLinks && !isCreateOnly ? { ownLinks } : {}),
    ...(isCreateOnly
      ? {
          createOnly: {
            origins: [...origins],
            destinationHosts: [...destinationHosts],
            linksPerMinute: Number(linksPerMinute),
          },
        }
      : {}),
  };
  return Object.keys(bounds).length === 0 ? null : bounds;
}

/** To change it. A create-only one is not changed. */
export function toDraft({ domains = [], folders = [], tags = [], ownLinks }: KeyBounds): BoundsDraft {
  return { ...NO_BOUNDS, domains, folders, tags, ownLinks: ownLinks === true };
}

type BoundsFieldsProps = {
  readonly draft: BoundsDraft;
  readonly onChange: (change: Partial<BoundsDraft>) => void;
};

type MakerProps = { /** Of own links. */ readonly makers: string };

export function BoundsFields({ draft, onChange, makers }: BoundsFieldsProps & MakerProps) {
  const { data: domains = [] } = useQuery(domainsQuery);
  const { data: folders = [] } = useQuery(foldersQuery);
  const { data: tags = [] } = useQuery(tagsQuery);
  const toChoices = (names: readonly string[]) => names.map((name) => ({ value: name, label: name }));
  return (
    <fieldset className="plain stack tight">
      <legend className="field-label">{t.onlySomeLinks}</legend>
      <TokensField
        label={t.onDomains}
        placeholder={t.anyDomain}
        tokens={draft.domains}
        onChange={(chosen) => onChange({ domains: chosen })}
        choices={toChoices(domains.map(({ host }) => host))}
      />
      <TokensField
        label={t.inFolders}
        placeholder={t.anyFolderOrNone}
        tokens={draft.folders}
        onChange={(chosen) => onChange({ folders: chosen })}
        choices={toChoices(folders.map(({ name }) => name))}
      />
      <TokensField
        label={t.withTags}
        placeholder={t.anyTagOrNone}
        tokens={draft.tags}
        onChange={(chosen) => onChange({ tags: chosen })}
        choices={toChoices(tags.map(({ name }) => name))}
      />
      {draft.isCreateOnly ? (
        <CreateOnlyFields draft={draft} onChange={onChange} />
      ) : (
        <Checkbox
          label={
            <>
              {t.ownLinks} <span className="soft small">{makers}</span>
            </>
          }
          isOn={draft.ownLinks}
          onChange={(ownLinks) => onChange({ ownLinks })}
        />
      )}
      <FieldError path="bounds" />
    </fieldset>
  );
}

function CreateOnlyFields({ draft, onChange }: BoundsFieldsProps) {
  return (
    <>
      <TokensField
        label={t.fromPages}
        placeholder="https://www.example.com"
        tokens={draft.origins}
        onChange={(chosen) => onChange({ origins: chosen })}
        isOpen
      />
      <TokensField
        label={t.to}
        placeholder="example.com"
        tokens={draft.destinationHosts}
        onChange={(chosen) => onChange({ destinationHosts: chosen })}
        isOpen
      />
      <TextField
        label={t.linksMinute}
        type="number"
        min={1}
        max={600}
        value={draft.linksPerMinute}
        onChange={(text) => onChange({ linksPerMinute: text })}
      />
    </>
  );
}
