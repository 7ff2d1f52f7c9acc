/** The conditions of a rule. All of them have to match; of several values, any one. */
import type { RuleConditions } from "@hopline/client/openapi";
import { BROWSER_NAMES, DEVICE_CLASSES, OS_NAMES } from "@hopline/core/rules/device-names";
import { Plus, X } from "lucide-react";
import { useRef } from "react";
import { COUNTRIES } from "../country-choices.ts";
import { languageName } from "../format.ts";
import { usePreferences } from "../preferences.ts";
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
  country: { label: t.country, hint: "", choices: COUNTRIES },
  continent: {
    label: t.continent,
    hint: "",
    choices: Object.entries(CONTINENTS).map(([value, label]) => ({ value, label, code: value })),
  },
  region: { label: t.region, hint: t.forExampleUsCa, choices: [], isOpen: true },
  city: { label: t.city, hint: t.asInAnalytics, choices: [], isOpen: true },
  language: { label: t.language, hint: t.deMatchesDeChToo, choices: LANGUAGES, isOpen: true },
  referrer: { label: t.comesFrom, hint: t.hostForExampleNewsExample, choices: [], isOpen: true },
  device: { label: t.device, hint: "", choices: named(DEVICE_CLASSES) },
  os: { label: t.os, hint: "", choices: named(OS_NAMES) },
  browser: { label: t.browser, hint: "", choices: named(BROWSER_NAMES) },
} as const satisfies {
  readonly [name: string]: { label: string; hint: string; choices: readonly Choice[]; isOpen?: true };
};
type ListName = keyof typeof LISTS;
const LIST_NAMES = Object.keys(LISTS) as ListName[];

const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

type ConditionsEditorProps = {
  readonly when: RuleConditions;
  readonly onChange: (when: RuleConditions) => void;
};

export function ConditionsEditor({ when, onChange }: ConditionsEditorProps) {
  const remove = (name: keyof RuleConditions) => {
    const { [name]: _removed, ...rest } = when;
    onChange(rest);
  };
  return (
    <div className="stack tight">
      {Object.keys(when).length === 0 && <p className="small soft">{t.addConditionVisitors}</p>}
      <FieldError path="" part="itself" />
      {LIST_NAMES.flatMap((name) => {
        const values = when[name];
        const { label, hint, ...ofList } = LISTS[name];
        return values === undefined
          ? []
          : [
              <Condition key={name} label={label} onRemove={() => remove(name)}>
                <TokensField
                  label={label}
                  tokens={values}
                  {...ofList}
                  {...(hint === "" ? {} : { hint })}
                  path={name}
                  onChange={(tokens) => onChange({ ...when, [name]: [...tokens] })}
                />
              </Condition>,
            ];
      })}
      {when.visitor !== undefined && (
        <Condition label={t.visitor} onRemove={() => remove("visitor")}>
          <SelectField
            label={t.visitor}
            path="visitor"
            value={when.visitor}
            onChange={(visitor) => onChange({ ...when, visitor })}
            choices={VISITORS}
          />
        </Condition>
      )}
      <FieldError path="query" />
      {when.query !== undefined && (
        <QueryConditions
          query={when.query}
          onChange={(query) => onChange({ ...when, query })}
          onRemove={() => remove("query")}
        />
      )}
      <FieldError path="time" />
      {when.time !== undefined && (
        <TimeCondition
          time={when.time}
          onChange={(time) => onChange({ ...when, time })}
          onRemove={() => remove("time")}
        />
      )}
      <AddCondition when={when} onChange={onChange} />
    </div>
  );
}

type ConditionProps = {
  readonly label: string;
  readonly onRemove: () => void;
  readonly children: React.ReactNode;
};

function Condition({ label, onRemove, children }: ConditionProps) {
  return (
    <div className="condition" data-condition={label}>
      {children}
      <IconButton icon={X} label={t.removeCondition(label)} onClick={onRemove} />
    </div>
  );
}

function AddCondition({ when, onChange }: ConditionsEditorProps) {
  const { timeZone } = usePreferences();
  const place = useRef<HTMLDivElement>(null);
  /** The label of the one that was just added: its field gets the focus when the menu has closed. */
  const added = useRef<string | null>(null);
  const add = (label: string, part: RuleConditions) => {
    added.current = label;
    onChange({ ...when, ...part });
  };
  return (
    <div ref={place}>
      <PopupMenu
        focusAfter={() => {
          const condition = `[data-condition="${added.current}"]`;
          return place.current?.parentElement?.querySelector<HTMLElement>(
            `${condition} input, ${condition} select, ${condition} .days button`,
          );
        }}
        trigger={<Button icon={Plus} label={t.condition} isSmall />}
      >
        {LIST_NAMES.filter((name) => when[name] === undefined).map((name) => (
          <MenuItem
            label={LISTS[name].label}
            key={name}
            onSelect={() => add(LISTS[name].label, { [name]: [] })}
          />
        ))}
        {when.visitor === undefined && (
          <MenuItem label={t.personOrBot} onSelect={() => add(t.visitor, { visitor: "human" })} />
        )}
        {when.query === undefined && (
          <MenuItem
            label={t.queryParameter}
            onSelect={() => add(t.queryParameter, { query: [{ name: "" }] })}
          />
        )}
        {when.time === undefined && (
          <MenuItem
            label={t.time}
            onSelect={() => add(t.time, { time: { zone: timeZone, start: "09:00", end: "17:00" } })}
          />
        )}
      </PopupMenu>
    </div>
  );
}

type QueryList = NonNullable<RuleConditions["query"]>;

type PartProps<Part> = { readonly onChange: (part: Part) => void; readonly onRemove: () => void };

function QueryConditions(props: PartProps<QueryList> & { readonly query: QueryList }) {
  const { query, onChange, onRemove } = props;
  const [first = { name: "" }, ...rest] = query;
  const { values = [] } = first;
  return (
    <Condition label={t.queryParameter} onRemove={onRemove}>
      <div className="two">
        <TextField
          label={t.queryParameter}
          placeholder={t.ref}
          value={first.name}
          onChange={(name) => onChange([{ ...first, name }, ...rest])}
        />
        <TokensField
          label={t.isAny}
          placeholder={t.anything}
          isOpen
          tokens={values}
          onChange={(tokens) =>
            onChange([
              tokens.length === 0 ? { name: first.name } : { name: first.name, values: [...tokens] },
              ...rest,
            ])
          }
        />
      </div>
    </Condition>
  );
}

type Time = NonNullable<RuleConditions["time"]>;

function TimeCondition({ time, onChange, onRemove }: PartProps<Time> & { readonly time: Time }) {
  const { timeZone } = usePreferences();
  const zone = time.zone ?? timeZone;
  const days = time.days ?? [];
  const set = (name: "start" | "end" | "from" | "until", value: string | null) => {
    const { [name]: _before, ...rest } = time;
    onChange(value === null || value === "" ? rest : { ...rest, [name]: value });
  };
  return (
    <Condition label={t.time} onRemove={onRemove}>
      <div className="stack tight">
        <span className="field-label">{t.timeInZone(zone.replaceAll("_", " "))}</span>
        <div className="row wrap" role="group" aria-label={t.days}>
          {DAYS.map((day) => (
            <button
              key={day}
              type="button"
              className={days.includes(day) ? "chip active" : "chip"}
              aria-pressed={days.includes(day)}
              onClick={() => {
                const chosen = DAYS.filter((one) => (one === day ? !days.includes(day) : days.includes(one)));
                const { days: _before, ...rest } = time;
                onChange(chosen.length === 0 ? rest : { ...rest, days: chosen });
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
            onChange={(start) => set("start", start)}
          />
          <TextField label={t.to} type="time" value={time.end ?? ""} onChange={(end) => set("end", end)} />
          {(["from", "until"] as const).map((name) => (
            <InstantField
              key={name}
              label={name === "from" ? t.notBefore : t.until}
              value={time[name] ?? null}
              timeZone={zone}
              onChange={(instant) => set(name, instant)}
            />
          ))}
        </div>
      </div>
    </Condition>
  );
}
