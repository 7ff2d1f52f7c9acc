/** Choosing from a list by typing: several values in one field, or one. Enter takes the first match, Backspace removes the last. */
import { Combobox } from "@base-ui/react/combobox";
import { X } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import { Field } from "./controls.tsx";
import { type Choice, findChoices } from "./find-choices.ts";
import { t } from "./words.ts";

type ListFieldProps = {
  readonly label: string;
  readonly path?: string | undefined;
  readonly hint?: string | undefined;
  readonly placeholder?: string;
  readonly choices?: readonly Choice[];
  /** Whether what is typed is a value, too, without being in the list. */
  readonly isOpen?: boolean;
};

export type TokensFieldProps = ListFieldProps & {
  readonly tokens: readonly string[];
  readonly onChange: (tokens: readonly string[]) => void;
  /** Stands before a token. */
  readonly markOf?: (token: string) => ReactNode;
  /** How a token is shown; as its choice is without it. */
  readonly nameOf?: (token: string) => string;
  /** What is being typed, for choices that are looked for elsewhere: they are shown as they come. */
  readonly onType?: (text: string) => void;
};

export function TokensField(props: TokensFieldProps) {
  const { choices = [], isOpen = false, tokens, placeholder, onChange, markOf, onType } = props;
  const nameOf = props.nameOf ?? ((token) => choices.find(({ value }) => value === token)?.label ?? token);
  const [text, setTyped] = useState("");
  const setText = (typed: string) => {
    setTyped(typed);
    onType?.(typed);
  };
  const others = choices.filter(({ value }) => !tokens.includes(value));
  const found = findChoices(others, onType === undefined ? text : "", isOpen ? text : "");
  /** The library takes what it has highlighted; it highlights after it has drawn the list. */
  const isHighlighted = useRef(false);
  const add = (added: readonly string[]) => {
    onChange([...new Set([...tokens, ...added.map((one) => one.trim())])].filter((one) => one !== ""));
    setText("");
  };
  return (
    <Field label={props.label} hint={props.hint} path={props.path}>
      {({ className: _className, ...ofField }) => (
        <Combobox.Root
          multiple
          autoHighlight
          items={found}
          filteredItems={found}
          value={tokens.map((value) => ({ value, label: nameOf(value) }))}
          onValueChange={(next: readonly Choice[], { reason }) => {
            setText("");
            // Escape takes back what is being typed, and nothing that was chosen.
            if (reason !== "escape-key") {
              onChange(next.map(({ value }) => value));
            }
          }}
          isItemEqualToValue={(one, other) => one.value === other.value}
          onItemHighlighted={(choice) => {
            isHighlighted.current = choice !== undefined;
          }}
          inputValue={text}
          onInputValueChange={(typed, { reason }) => {
            if (isOpen && typed.includes(",")) {
              add(typed.split(","));
            } else if (reason !== "item-press") {
              setText(typed);
            }
          }}
        >
          <Combobox.Chips className="tokens input">
            {tokens.map((token) => (
              <Combobox.Chip key={token} className="chip" aria-label={nameOf(token)}>
                {markOf?.(token)}
                <span className="cut">{nameOf(token)}</span>
                <Combobox.ChipRemove aria-label={t.removeToken(nameOf(token))}>
                  <X size={12} aria-hidden />
                </Combobox.ChipRemove>
              </Combobox.Chip>
            ))}
            <Combobox.Input
              {...ofField}
              placeholder={tokens.length === 0 ? placeholder : undefined}
              onKeyDown={(event) => {
                staysInField(event);
                const [first] = found;
                if (event.key === "Enter" && text !== "" && !isHighlighted.current && first !== undefined) {
                  add([first.value]);
                }
              }}
              onBlur={() => {
                if (text.trim() !== "" && (isOpen || others.some(({ value }) => value === text))) {
                  add([text]);
                }
              }}
            />
          </Combobox.Chips>
          <Choices />
        </Combobox.Root>
      )}
    </Field>
  );
}

export type ChoiceFieldProps = Omit<ListFieldProps, "isOpen"> & {
  /** What typing something new makes: `New folder`. */
  readonly createdBy?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
};

/** One value of a list that is too long to scroll through; empty for none. */
export function ChoiceField(props: ChoiceFieldProps) {
  const { label, path, hint, placeholder, choices = [], createdBy, value, onChange } = props;
  const [text, setText] = useState<string | null>(null);
  const chosen = choices.find((one) => one.value === value) ?? { value, label: value };
  const found = findChoices(choices, text ?? "", createdBy === undefined ? "" : (text ?? "")).map((one) =>
    choices.includes(one) ? one : { ...one, label: `${createdBy ?? ""} “${one.value}”` },
  );
  return (
    <Field label={label} hint={hint} path={path}>
      {(props) => (
        <Combobox.Root
          autoHighlight
          items={found}
          filteredItems={found}
          value={value === "" ? null : chosen}
          onValueChange={(next: Choice | null, { reason }) => {
            setText(null);
            if (reason !== "escape-key") {
              onChange(next?.value ?? "");
            }
          }}
          isItemEqualToValue={(one, other) => one?.value === other?.value}
          inputValue={text ?? chosen.label}
          onInputValueChange={(typed, { reason }) => {
            if (reason === "input-change" || reason === "input-clear") {
              setText(typed);
              if (typed === "") {
                onChange("");
              }
            }
          }}
          onOpenChange={(isShown) => isShown || setText(null)}
        >
          <Combobox.Input
            {...props}
            placeholder={placeholder}
            onKeyDown={staysInField}
            // What is typed then replaces what was chosen, as after a Tab into it.
            onClick={({ currentTarget }) => text === null && currentTarget.select()}
          />
          <Choices />
        </Combobox.Root>
      )}
    </Field>
  );
}

function Choices() {
  return (
    <Combobox.Portal>
      <Combobox.Positioner sideOffset={4} align="start" className="positioner">
        <Combobox.Popup className="popup choices">
          <Combobox.Empty>
            <div className="soft small no-choice">{t.noMatch}</div>
          </Combobox.Empty>
          <Combobox.List>
            {(choice: Choice) => (
              <Combobox.Item key={choice.value} value={choice} className="menu-item">
                {choice.mark !== undefined && <span aria-hidden>{choice.mark}</span>}
                <span className="cut">{choice.label}</span>
                {choice.label !== choice.value && <span className="soft small spread">{choice.code}</span>}
              </Combobox.Item>
            )}
          </Combobox.List>
        </Combobox.Popup>
      </Combobox.Positioner>
    </Combobox.Portal>
  );
}

/** Enter chooses here, and does not send the form; with Ctrl or Cmd it does (form.tsx). */
function staysInField(event: KeyboardEvent): void {
  if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
  }
}
