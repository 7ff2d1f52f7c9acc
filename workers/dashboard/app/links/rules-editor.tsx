/** Rules in their order: dragged by pointer or, with the handle focused, by space and arrows. */
import {
  closestCenter,
  DndContext,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
} from "@dnd-kit/core";
import {
  arrayMove,
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
  verticalListSortingStrategy,
} from "@dnd-kit/sortable";
import type { Rule } from "@hopline/client/openapi";
import { GripVertical, Plus, Trash2 } from "lucide-react";
import { useRef } from "react";
import { flushSync } from "react-dom";
import { compact } from "../search-params.ts";
import { AddressField, Button, FieldError, IconButton, SelectField, Switch } from "../ui/controls.tsx";
import { Within } from "../ui/form-context.tsx";
import { say } from "../ui/toasts.ts";
import { useSending } from "../use-sending.ts";
import { ConditionsEditor } from "./conditions-editor.tsx";
import { readLink } from "./link-cache.ts";
import { LinksField } from "./links-field.tsx";
import type { SectionProps } from "./section-props.ts";
import { splitOf, SplitEditor } from "./split-editor.tsx";
import { t } from "./editor-words.ts";

export function RulesSection({ draft: { rules }, set }: SectionProps) {
  const onChange = (changed: Rule[]) => set({ rules: changed });
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const places = rules.map((_rule, index) => index + 1);
  const place = useRef<HTMLDivElement>(null);
  /** The focus goes to the last of these: a new rule needs a condition first, and where one was removed another can be added. */
  const changeAndFocus = (changed: Rule[], selector: string) => {
    flushSync(() => onChange(changed));
    [...(place.current?.querySelectorAll<HTMLElement>(selector) ?? [])].at(-1)?.focus();
  };
  return (
    <>
      <p className="soft">{t.fromTopToBottomFirstRule}</p>
      <div ref={place} className="stack tight">
        <FieldError path="rules" part="itself" />
        <DndContext
          sensors={sensors}
          collisionDetection={closestCenter}
          onDragEnd={({ active, over }) => {
            if (over !== null && active.id !== over.id) {
              onChange(arrayMove(rules, Number(active.id) - 1, Number(over.id) - 1));
            }
          }}
        >
          <SortableContext items={places} strategy={verticalListSortingStrategy}>
            {rules.map((rule, index) => (
              <Within key={index} path={`rules[${index}]`}>
                <RuleCard
                  place={index + 1}
                  rule={rule}
                  onChange={(changed) => onChange(rules.with(index, changed))}
                  onRemove={() => changeAndFocus(rules.toSpliced(index, 1), "button")}
                />
              </Within>
            ))}
          </SortableContext>
        </DndContext>
        <div>
          <Button
            icon={Plus}
            label={t.rule}
            isSmall
            onClick={() => {
              const rule = { id: newId(rules), when: {}, to: { url: "" } };
              changeAndFocus([...rules, rule], ".rule [aria-haspopup=menu]");
            }}
          />
        </div>
        <CopyRules onCopy={(copied) => onChange(copied.reduce(withCopy, rules))} />
      </div>
    </>
  );
}

/** They become the form's own: nothing is saved by it. */
function CopyRules({ onCopy }: { readonly onCopy: (copied: readonly Rule[]) => void }) {
  const reading = useSending({
    send: (hopline, linkId: string) => readLink(hopline, linkId),
    onSent: ({ link }) => (link.rules.length === 0 ? say(t.thatLinkHasNoRules) : onCopy(link.rules)),
    isBare: true,
  });
  return (
    <details className="fold">
      <summary>{t.copyFromAnotherLink}</summary>
      <LinksField
        label={t.copyRulesOf}
        links={[]}
        onChange={([linkId]) => linkId !== undefined && reading.mutate(linkId)}
      />
    </details>
  );
}

function withCopy(rules: readonly Rule[], rule: Rule): Rule[] {
  const isTaken = rules.some(({ id }) => id === rule.id);
  return [...rules, isTaken ? { ...rule, id: newId(rules) } : rule];
}

/** Clicks are counted by it: it stays when the rule gets a name. */
function newId(rules: readonly Rule[], number = rules.length + 1): string {
  const id = `rule-${number}`;
  return rules.some((rule) => rule.id === id) ? newId(rules, number + 1) : id;
}

type RuleCardProps = {
  readonly place: number;
  readonly rule: Rule;
  readonly onChange: (rule: Rule) => void;
  readonly onRemove: () => void;
};

function RuleCard({ place, rule, onChange, onRemove }: RuleCardProps) {
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } =
    useSortable({ id: place });
  const moved = transform === null ? {} : { transform: `translate3d(0, ${Math.round(transform.y)}px, 0)` };
  return (
    <div
      ref={setNodeRef}
      className={isDragging ? "rule dragging" : "rule"}
      style={{ ...moved, ...(transition === undefined ? {} : { transition }) }}
    >
      <div className="rule-head">
        <button
          type="button"
          ref={setActivatorNodeRef}
          className="grip"
          {...attributes}
          {...listeners}
          aria-label={t.moveRule(rule.id)}
        >
          <GripVertical size={16} aria-hidden />
        </button>
        <span className="soft">{place}</span>
        <input
          className="input"
          aria-label={t.nameRule(place)}
          placeholder={rule.id}
          value={rule.name ?? ""}
          // What is as by default is not written down: a rule that is put back is no change.
          onChange={(event) => onChange(compact({ ...rule, name: event.currentTarget.value || undefined }))}
        />
        <Switch
          label={t.on}
          isOn={rule.enabled !== false}
          onChange={(isOn) => onChange(compact({ ...rule, enabled: isOn ? undefined : false }))}
        />
        <IconButton icon={Trash2} label={t.removeRule(rule.id)} onClick={onRemove} />
      </div>
      <FieldError path="" part="itself" />
      <FieldError path="id" />
      <FieldError path="name" />
      <Within path="when">
        <ConditionsEditor when={rule.when} onChange={(when) => onChange({ ...rule, when })} />
      </Within>
      <Within path="to">
        <RuleTarget to={rule.to} onChange={(to) => onChange({ ...rule, to })} />
      </Within>
    </div>
  );
}

type Target = Rule["to"];

type RuleTargetProps = { readonly to: Target; readonly onChange: (to: Target) => void };

function RuleTarget({ to, onChange }: RuleTargetProps) {
  const kind = "url" in to ? "url" : "split" in to ? "split" : "block";
  const url = "url" in to ? to.url : "split" in to ? (to.split[0]?.url ?? "") : "";
  const targets = { url: { url }, split: { split: splitOf(url) }, block: { block: true as const } };
  return (
    <div className="stack tight">
      <div className="two">
        <SelectField
          label={t.thenWord}
          value={kind}
          onChange={(chosen) => onChange(targets[chosen])}
          choices={[
            { value: "url", label: t.sendThemTo },
            { value: "split", label: t.splitThem },
            { value: "block", label: t.blockThem },
          ]}
        />
        {"url" in to && (
          <AddressField
            label={t.destination}
            path="url"
            value={to.url}
            onChange={(text) => onChange({ url: text })}
          />
        )}
      </div>
      <FieldError path="" part="itself" />
      {"split" in to && (
        <Within path="split">
          <SplitEditor
            variants={to.split}
            firstUrl={url}
            onChange={(split) => onChange(split === null ? { url } : { split })}
          />
        </Within>
      )}
    </div>
  );
}
