/** What a webhook is told and where, in a dialog, for a new one and for one that is there. */
import type { CreateWebhook, Webhook } from "@hopline/client/openapi";
import { useQuery } from "@tanstack/react-query";
import type { ComponentProps } from "react";
import { LinksField } from "../links/links-field.tsx";
import { TagsField } from "../links/tags-field.tsx";
import { domainsQuery } from "../queries.ts";
import {
  AddressField,
  CheckList,
  choicesOf,
  FieldError,
  fieldsOf,
  orNull,
  Segments,
  TextField,
} from "../ui/controls.tsx";
import { FormDialog } from "../ui/modal.tsx";
import { TokensField } from "../ui/tokens-field.tsx";
import { EVENT_GROUPS, type EventName, TYPE_NAMES, ABOUT_CLICKS, CLICK_NAMES } from "./webhook-words.ts";
import { CLASS_NAMES, shared } from "../words.ts";
import { t } from "./words.ts";

export type WebhookDraft = Pick<Webhook, "url" | "description" | "events" | "mode" | "filter">;

export const NEW_WEBHOOK: WebhookDraft = {
  url: "",
  description: null,
  events: ["link.created", "link.updated", "click"],
  mode: "batch",
  filter: { classes: ["human"] },
};

export function toDraft({ url, description, events, mode, filter }: Webhook): WebhookDraft {
  return { url, description, events, mode, filter };
}

/** As the API takes it: a part of the filter that has nothing in it is not there. */
export function toBody({ filter, ...draft }: WebhookDraft): CreateWebhook {
  const { links = [], domains = [], tags = [], classes } = filter;
  return {
    ...draft,
    filter: {
      ...(links.length === 0 ? {} : { links }),
      ...(domains.length === 0 ? {} : { domains }),
      ...(tags.length === 0 ? {} : { tags }),
      ...(classes.length === 0 ? {} : { classes }),
    },
  };
}

type WebhookFieldsProps = {
  readonly draft: WebhookDraft;
  readonly onChange: (change: Partial<WebhookDraft>) => void;
};

type WebhookDialogProps = Omit<ComponentProps<typeof FormDialog>, "values" | "children"> & WebhookFieldsProps;

export function WebhookDialog({ draft, onChange, ...dialog }: WebhookDialogProps) {
  const field = fieldsOf(draft, onChange);
  return (
    <FormDialog isWide values={draft} isDisabled={draft.events.length === 0} {...dialog}>
      <AddressField
        label={t.url}
        placeholder="https://hooks.example.com/hopline"
        hint={t.wePostToThisAddressItMust}
        {...field("url")}
        required
      />
      <TextField
        label={t.description}
        placeholder={t.whatItIsFor}
        {...orNull(field("description"))}
        maxLength={200}
      />
      <EventsField draft={draft} onChange={onChange} />
      <FilterField draft={draft} onChange={onChange} />
    </FormDialog>
  );
}
const CLICKS = choicesOf(CLICK_NAMES);

function clicksOf({ events, mode }: WebhookDraft): keyof typeof ABOUT_CLICKS {
  return events.includes("click.summary") ? "summary" : events.includes("click") ? mode : "none";
}

function EventsField({ draft, onChange }: WebhookFieldsProps) {
  const { events } = draft;
  const others = events.filter((name) => name !== "click" && name !== "click.summary");
  const clicks = clicksOf(draft);
  return (
    <fieldset className="plain stack">
      <legend className="field-label">{shared.events}</legend>
      <div className="event-groups">
        {EVENT_GROUPS.map(({ label, events: names }) => (
          <div key={label} className="stack tight" role="group" aria-label={label}>
            <CheckList<EventName>
              chosen={events}
              onChange={(chosen) => onChange({ events: chosen })}
              choices={names.map((value) => ({ value, label: TYPE_NAMES[value] }))}
            />
          </div>
        ))}
      </div>
      <div className="field clicks-choice">
        <span className="field-label">{shared.clicks}</span>
        <Segments
          label={shared.clicks}
          value={clicks}
          onChange={(value) =>
            onChange({
              events:
                value === "none" ? others : [...others, value === "summary" ? "click.summary" : "click"],
              mode: value === "each" ? "each" : "batch",
            })
          }
          choices={CLICKS}
        />
        <p className="field-hint">{ABOUT_CLICKS[clicks]}</p>
        <FieldError path="mode" />
      </div>
      <FieldError path="events" />
    </fieldset>
  );
}

const CLASSES = choicesOf(CLASS_NAMES);

function FilterField({ draft, onChange }: WebhookFieldsProps) {
  const { filter } = draft;
  const { data: domains = [] } = useQuery(domainsQuery);
  const set = (change: Partial<WebhookDraft["filter"]>) => onChange({ filter: { ...filter, ...change } });
  return (
    <fieldset className="plain stack">
      <legend className="field-label">{shared.filters}</legend>
      <p className="field-hint">{t.everythingInWorkspace}</p>
      <TagsField tags={filter.tags ?? []} onChange={(tags) => set({ tags: [...tags] })} path="filter.tags" />
      <LinksField
        label={shared.links}
        path="filter.links"
        links={filter.links ?? []}
        onChange={(links) => set({ links: [...links] })}
      />
      {(domains.length > 1 || (filter.domains ?? []).length > 0) && (
        <TokensField
          label={shared.domains}
          path="filter.domains"
          placeholder={t.allDomains}
          tokens={filter.domains ?? []}
          onChange={(ids) => set({ domains: [...ids] })}
          choices={domains.map(({ id, host }) => ({ value: id, label: host }))}
        />
      )}
      {clicksOf(draft) !== "none" && (
        <div className="field">
          <span className="field-label">{t.clicksBy}</span>
          <div className="row wrap" role="group" aria-label={t.clicksBy}>
            <CheckList chosen={filter.classes} onChange={(classes) => set({ classes })} choices={CLASSES} />
          </div>
          <FieldError path="filter.classes" />
          {filter.classes.length === 0 && <p className="field-hint">{t.noneSelectedPeopleOnly}</p>}
        </div>
      )}
      <FieldError path="filter" part="itself" />
    </fieldset>
  );
}
