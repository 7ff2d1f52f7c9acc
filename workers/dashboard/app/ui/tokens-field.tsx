/** A list of short texts in one field. Enter and comma add what is typed, Backspace in the empty field removes the last. */
import { X } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { Field } from "./controls.tsx";

type TokensFieldProps = {
  readonly label: string;
  readonly tokens: readonly string[];
  readonly onChange: (tokens: readonly string[]) => void;
  readonly suggestions?: readonly { readonly value: string; readonly label?: string }[];
  /** Stands before a token. */
  readonly markOf?: (token: string) => ReactNode;
  readonly placeholder?: string;
  /** How a token is shown; as it is without it. */
  readonly nameOf?: (token: string) => string;
  /** What is being typed, for suggestions that are looked for. */
  readonly onType?: (text: string) => void;
  readonly hint?: string | undefined;
  readonly path?: string | undefined;
};

export function TokensField({
  label,
  tokens,
  onChange,
  suggestions = [],
  markOf,
  placeholder,
  nameOf = (token) => token,
  onType,
  hint,
  path,
}: TokensFieldProps) {
  const [text, setTyped] = useState("");
  const setText = (typed: string) => {
    setTyped(typed);
    onType?.(typed);
  };
  const listId = useId();
  const add = (typed: string) => {
    const added = typed.split(",").map((one) => one.trim());
    onChange([...new Set([...tokens, ...added])].filter((one) => one !== ""));
    setText("");
  };
  return (
    <Field label={label} hint={hint} path={path}>
      {({ className: _className, ...props }) => (
        <div className="tokens input">
          {tokens.map((token) => (
            <span key={token} className="chip">
              {markOf?.(token)}
              <span className="cut">{nameOf(token)}</span>
              <button
                type="button"
                aria-label={`Remove ${nameOf(token)}`}
                onClick={() => onChange(tokens.filter((one) => one !== token))}
              >
                <X size={12} aria-hidden />
              </button>
            </span>
          ))}
          <input
            {...props}
            list={listId}
            value={text}
            placeholder={tokens.length === 0 ? placeholder : undefined}
            onChange={({ currentTarget: { value } }) =>
              // Choosing a suggestion fills the field at once.
              value.endsWith(",") || suggestions.some((one) => one.value === value)
                ? add(value)
                : setText(value)
            }
            onKeyDown={(event) => {
              if (event.key === "Enter" && text.trim() !== "") {
                event.preventDefault();
                add(text);
              }
              if (event.key === "Backspace" && text === "") {
                onChange(tokens.slice(0, -1));
              }
            }}
            onBlur={() => {
              if (text.trim() !== "") {
                add(text);
              }
            }}
          />
          <datalist id={listId}>
            {suggestions
              .filter(({ value }) => !tokens.includes(value))
              .map(({ value, label: name }) => (
                <option key={value} value={value} label={name ?? value} />
              ))}
          </datalist>
        </div>
      )}
    </Field>
  );
}
