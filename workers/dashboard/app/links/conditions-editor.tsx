/** The conditions of a rule. All of them have to match; of several values, any one. */
import type { RuleConditions } from "@hopline/client/openapi";
import { BROWSER_NAMES, DEVICE_CLASSES, OS_NAMES } from "@hopline/core/rules/device-names";
import { Plus, X } from "lucide-react";
import { useRef } from "react";
import { COUNTRIES } from "../country-choices.ts";
import { languageName } from "../format.ts";
import { usePreferences } from "../preferences.ts";
import { type Cleared, compact } from "../search-params.ts";
import { Button, FieldError, IconButton, SelectField, TextField } from "../ui/controls.tsx";
import type { Choice } from "../ui/find-choices.ts";
import { MenuItem, PopupMenu } from "../ui/popup-menu.tsx";
import { TokensField } from "../ui/tokens-field.tsx";
import { InstantField } from "./instant-field.tsx";
import { VISITORS, t } from "./editor-words.ts";
import { CONTINENTS } from "../analytics/words.ts";

const named = (names: readonly string[]): readonly Choice[] =>
  names.map((value) => ({ value, label: value }));

const LANGUAGES: readonly Choice[] = "de en es fr it ja nl pl pt tr uk zh"
  .split(" ")
  .map((value) => ({ value, label: languageName(value), code: value }));

/** Conditions that are lists of texts. */
const LISTS = {
  country: { label: t.country, choices: COUNTRIES },
  continent: {
    label: t.continent,
    choices: Object.entries(CONTINENTS).map(([value, label]) => ({ value, label, code: value })),
  },
  region: { label: t.region, hint: t.forExampleUsCa, isOpen: true },
  city: { label: t.city, hint: t.asInAnalytics, isOpen: true },
  language: { label: t.language, hint: t.deMatchesDeChToo, choices: LANGUAGES, isOpen: true },
  referrer: { label: t.comesFrom, hint: t.hostForExampleNewsExample, isOpen: true },
  device: { label: t.device, choices: named(DEVICE_CLASSES) },
  os: { label: t.os, choices: named(OS_NAMES) },
  browser: { label: t.browser, choices: named(BROWSER_NAMES) },
};

const CONDITIONS = {
  ...LISTS,
  visitor: { label: t.visitor },
  query: { label: t.queryParameter },
  time: { label: t.time },
};
type Name = keyof typeof CONDITIONS;
const NAMES = Object.keys(CONDITIONS) as Name[];

const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

type ConditionsEditorProps = {
  readonly when: RuleConditions;
  readonly onChange: (when: RuleConditions) => void;
};

export function ConditionsEditor({ when, onChange }: ConditionsEditorProps) {
  const { timeZone } = usePreferences();
  const place = useRef<HTMLDivElement>(null);
  /** The label of the one that was just added: its field gets the focus when the menu has closed. */
  const added = useRef("");
  return (
    <div ref={place} className="stack tight">
      {Object.keys(when).length === 0 && <p className="small soft">{t.addConditionVisitors}</p>}
      <FieldError path="" part="itself" />
      {NAMES.filter((name) => when[name] !== undefined).map((name) => (
        <div key={name} className="condition" data-condition={CONDITIONS[name].label}>
          <ConditionFields name={name} when={when} onChange={onChange} />
          <IconButton
            icon={X}
            label={t.removeCondition(CONDITIONS[name].label)}
            onClick={() => onChange(compact({ ...when, [name]: undefined }))}
          />
        </div>
      ))}
      <div>
        <PopupMenu
          focusAfter={() =>
            place.current?.querySelector<HTMLElement>(
              `[data-condition="${added.current}"] :is(input, select)`,
            )
          }
          trigger={<Button icon={Plus} label={t.condition} isSmall />}
        >
          {NAMES.filter((name) => when[name] === undefined).map((name) => (
            <MenuItem
              key={name}
              label={name === "visitor" ? t.personOrBot : CONDITIONS[name].label}
              onSelect={() => {
                added.current = CONDITIONS[name].label;
                onChange({ ...when, ...begin(name, timeZone) });
              }}
            />
          ))}
        </PopupMenu>
      </div>
    </div>
  );
}

/** What a condition begins with. */
function begin(name: Name, zone: string): RuleConditions {
  if (name === "query") {
    return { query: [{ name: "" }] };
  }
  if (name === "time") {
    return { time: { zone, start: "09:00", end: "17:00" } };
  }
  return name === "visitor" ? { visitor: "human" } : { [name]: [] };
}

function ConditionFields({ name, when, onChange }: ConditionsEditorProps & { readonly name: Name }) {
  if (name === "query") {
    return <QueryFields query={when.query ?? []} onChange={(query) => onChange({ ...when, query })} />;
  }
  if (name === "time") {
    return <TimeFields time={when.time ?? {}} onChange={(time) => onChange({ ...when, time })} />;
  }
  return name === "visitor" ? (
    <SelectField
      label={t.visitor}
      path={name}
      value={when.visitor ?? "human"}
      onChange={(visitor) => onChange({ ...when, visitor })}
      choices={VISITORS}
    />
  ) : (
    <TokensField
      {...LISTS[name]}
      path={name}
      tokens={when[name] ?? []}
      onChange={(tokens) => onChange({ ...when, [name]: [...tokens] })}
    />
  );
}

type Query = NonNullable<RuleConditions["query"]>;

type QueryFieldsProps = { readonly query: Query; readonly onChange: (query: Query) => void };

function QueryFields({ query, onChange }: QueryFieldsProps) {
  const [{ name, values = [] } = { name: "" }, ...rest] = query;
  const set = (first: string, any: readonly string[]) =>
    onChange([any.length === 0 ? { name: first } : { name: first, values: [...any] }, ...rest]);
  return (
    <div className="stack tight">
      <FieldError path="query" />
      <div className="two">
        <TextField
          label={t.queryParameter}
          placeholder={t.ref}
          value={name}
          onChange={(text) => set(text, values)}
        />
        <TokensField
          label={t.isAny}
          placeholder={t.anything}
          isOpen
          tokens={values}
          onChange={(tokens) => set(name, tokens)}
        />
      </div>
    </div>
  );
}

type Time = NonNullable<RuleConditions["time"]>;

type TimeFieldsProps = { readonly time: Time; readonly onChange: (time: Time) => void };

function TimeFields({ time, onChange }: TimeFieldsProps) {
  const { timeZone } = usePreferences();
  const { zone = timeZone, days = [] } = time;
  const set = (part: Cleared<Time>) => onChange(compact({ ...time, ...part }));
  return (
    <div className="stack tight">
      <FieldError path="time" />
      <span className="field-label">{t.timeInZone(zone.replaceAll("_", " "))}</span>
      <div className="row wrap" role="group" aria-label={t.days}>
        {DAYS.map((day) => (
          <button
            key={day}
            type="button"
            className={days.includes(day) ? "chip active" : "chip"}
            aria-pressed={days.includes(day)}
            onClick={() => {
              const chosen = DAYS.filter((one) => days.includes(one) !== (one === day));
              set({ days: chosen.length === 0 ? undefined : chosen });
            }}
          >
            {day}
          </button>
        ))}
      </div>
      <div className="two narrow">
        <TextField
          label={t.from}
          type="time"
          value={time.start ?? ""}
          onChange={(start) => set({ start: start || undefined })}
        />
        <TextField
          label={t.to}
          type="time"
          value={time.end ?? ""}
          onChange={(end) => set({ end: end || undefined })}
        />
        <InstantField
          label={t.notBefore}
          value={time.from ?? null}
          timeZone={zone}
          onChange={(from) => set({ from: from ?? undefined })}
        />
        <InstantField
          label={t.until}
          value={time.until ?? null}
          timeZone={zone}
          onChange={(until) => set({ until: until ?? undefined })}
        />
      </div>
    </div>
  );
}
