/** What new links get that do not say it: the same part in the settings of a workspace, a domain and a folder. */
import type { LinkDefaults } from "@hopline/client/openapi";
import "../styles/link.css";
import { type Cleared, compact } from "../search-params.ts";
import { Checkbox, FieldError, fieldsOf, SelectField, TextField } from "../ui/controls.tsx";
import { type Sending, Within } from "../ui/form-context.tsx";
import { Form, FormEnd } from "../ui/form.tsx";
import { useKept } from "../ui/use-kept.ts";
import { toDefaults } from "./link-defaults.ts";
import { NEW_DRAFT } from "./link-draft.ts";
import { SectionFold } from "./section-frames.tsx";
import { PreviewSection } from "./preview-section.tsx";
import { TagsField } from "./tags-field.tsx";
import { UTM_FIELDS, FORWARDING, REDIRECTS, t } from "./editor-words.ts";

type DefaultsFieldsProps = {
  readonly defaults: LinkDefaults;
  readonly onChange: (defaults: LinkDefaults) => void;
  /** Its links follow its own redirect status. */
  readonly isOfDomain?: boolean;
};

export function DefaultsFields({ defaults, onChange, isOfDomain = false }: DefaultsFieldsProps) {
  const { utm, slug, tags, expiresAfterDays, redirectStatus, forwardQuery, openGraph } = defaults;
  const set = (change: Cleared<LinkDefaults>) => onChange(compact({ ...defaults, ...change }));
  const ofSlug = fieldsOf({ prefix: "", alphabet: "", ...slug }, (part) =>
    set({ slug: { ...slug, ...part } }),
  );
  return (
    <Within path="defaults">
      <p className="soft">{t.forNewLinksThatLeaveField}</p>
      <FieldError path="" part="itself" />
      <TagsField tags={tags ?? []} onChange={(chosen) => set({ tags: [...chosen] })} path="tags" />
      <div className="two">
        <TextField
          label={t.endsAfterDays}
          type="number"
          min={1}
          value={String(expiresAfterDays ?? "")}
          onChange={(text) => set({ expiresAfterDays: text === "" ? undefined : Number(text) })}
          path="expiresAfterDays"
        />
        <SelectField
          label={t.visitorsQueryString}
          value={forwardQuery ?? null}
          onChange={(chosen) => set({ forwardQuery: chosen ?? undefined })}
          path="forwardQuery"
          choices={[{ value: null, label: t.noDefault }, ...FORWARDING]}
        />
      </div>
      {!isOfDomain && (
        <SelectField
          label={t.redirect}
          value={redirectStatus ?? null}
          onChange={(chosen) => set({ redirectStatus: chosen ?? undefined })}
          path="redirectStatus"
          choices={[{ value: null, label: t.noDefault }, ...REDIRECTS]}
        />
      )}
      <div>
        <SectionFold title={t.utm} about="">
          <p className="soft">{t.valuesCanContainFolder}</p>
          <Within path="utm">
            {UTM_FIELDS.map(({ name, label, placeholder }) => {
              const stored = utm?.[name];
              const field = fieldsOf({ value: "", allowed: [], isRequired: false, ...stored }, (part) =>
                set({ utm: { ...utm, [name]: { ...stored, ...part } } }),
              );
              const { path, value, onChange: allow } = field("allowed");
              return (
                <div key={name} className="three">
                  <Within path={name}>
                    <TextField label={label} placeholder={placeholder} {...field("value")} />
                    <TextField
                      label={t.allowedLabel(label.toLowerCase())}
                      path={path}
                      value={value.join(",")}
                      onChange={(text) => allow(text === "" ? [] : text.split(","))}
                    />
                    <Checkbox
                      label={t.labelIsRequired(label)}
                      isOn={stored?.isRequired === true}
                      onChange={field("isRequired").onChange}
                    />
                  </Within>
                </div>
              );
            })}
          </Within>
        </SectionFold>
        <SectionFold title={t.generatedSlugs} about="">
          <Within path="slug">
            <div className="three">
              <TextField label={t.beginWith} placeholder={t.promo} {...ofSlug("prefix")} />
              <TextField
                label={t.randomCharacters}
                type="number"
                min={3}
                max={32}
                placeholder="7"
                value={String(slug?.length ?? "")}
                onChange={(text) =>
                  set({ slug: compact({ ...slug, length: text === "" ? undefined : Number(text) }) })
                }
                path="length"
              />
              <TextField label={t.outOf} placeholder="0123456789" {...ofSlug("alphabet")} />
            </div>
          </Within>
        </SectionFold>
        <SectionFold title={t.previewInSocialNetworks} about="">
          <PreviewSection
            draft={{ ...NEW_DRAFT, openGraph: openGraph ?? null }}
            set={(change) => set({ openGraph: change.openGraph })}
            link={null}
          />
        </SectionFold>
      </div>
    </Within>
  );
}

type DefaultsFormProps = {
  readonly name: string;
  readonly stored: LinkDefaults | null;
  readonly sending: Sending & { readonly mutate: (defaults: LinkDefaults | null) => void };
  readonly onCancel?: () => void;
};

/** Where there is nothing else to set. */
export function DefaultsForm({ name, stored, sending, onCancel }: DefaultsFormProps) {
  const initial: { readonly defaults: LinkDefaults } = { defaults: stored ?? {} };
  const [draft, set] = useKept(`defaults ${name} ${JSON.stringify(stored)}`, initial);
  return (
    <Form values={draft} sending={sending} onSubmit={() => sending.mutate(toDefaults(draft.defaults))}>
      <DefaultsFields defaults={draft.defaults} onChange={(defaults) => set({ defaults })} />
      <FormEnd submit={t.saveDefaults} {...(onCancel === undefined ? {} : { onCancel })} />
    </Form>
  );
}
