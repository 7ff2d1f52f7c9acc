/**
 * Which links a new key or a member may see: by domain, folder, tag, or its own; what is left empty bounds nothing. Or that it only creates
 * some, from a web page.
 */
import { useQuery } from "@tanstack/react-query";
import { domainsQuery, foldersQuery, tagsQuery } from "../queries.ts";
import { Button, Checkbox, FieldError, TextField } from "../ui/controls.tsx";
import { TokensField } from "../ui/tokens-field.tsx";
import { type BoundsDraft, PARTS } from "./bounds-draft.ts";
import { OF_PARTS, t } from "./words.ts";

type BoundsFieldsProps = {
  readonly draft: BoundsDraft;
  readonly onChange: (change: Partial<BoundsDraft>) => void;
};

type MakerProps = { /** Of own links. */ readonly makers: string };

export function BoundsFields({ draft, onChange, makers }: BoundsFieldsProps & MakerProps) {
  const { data: domains = [] } = useQuery(domainsQuery);
  const { data: folders = [] } = useQuery(foldersQuery);
  const { data: tags = [] } = useQuery(tagsQuery);
  const names = {
    domains: domains.map(({ host }) => host),
    folders: folders.map(({ name }) => name),
    tags: tags.map(({ name }) => name),
  };
  return (
    <fieldset className="plain stack tight">
      <legend className="field-label">{t.onlySomeLinks}</legend>
      {PARTS.map((part) => {
        const { label, any, gone } = OF_PARTS[part];
        const isGone = draft[part].length === 0 && draft.gone.includes(part);
        return (
          <div key={part} className="row end">
            <TokensField
              label={label}
              placeholder={isGone ? gone : any}
              tokens={draft[part]}
              onChange={(chosen) => onChange({ [part]: chosen })}
              choices={names[part].map((name) => ({ value: name, label: name }))}
            />
            {isGone && (
              <Button
                label={any}
                isSmall
                onClick={() => onChange({ gone: draft.gone.filter((one) => one !== part) })}
              />
            )}
          </div>
        );
      })}
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
