/** The controls of every form: thin styles over the platform's own. */
import { Download, type LucideIcon, X } from "lucide-react";
import { type ComponentProps, type ReactNode, useId } from "react";
import { formatDateTime, formatUrl } from "../format.ts";
import { withScheme } from "../links/with-scheme.ts";
import { useFault } from "./form-context.tsx";
import { t } from "./words.ts";

type Look = {
  readonly kind?: "plain" | "primary" | "quiet" | undefined;
  readonly isDanger?: boolean | undefined;
  readonly isSmall?: boolean | undefined;
};

export function buttonClass({ kind = "plain", isDanger = false, isSmall = false }: Look): string {
  return ["button", kind, isDanger ? "danger" : "", isSmall ? "small" : ""].join(" ");
}

type ButtonProps = Omit<ComponentProps<"button">, "children"> &
  Look & { readonly label: ReactNode; readonly icon?: LucideIcon; readonly "data-hint"?: string };

export function Button(props: ButtonProps) {
  const { kind, isDanger, isSmall, icon: Icon, label, className = "", ...rest } = props;
  return (
    <button type="button" className={`${buttonClass({ kind, isDanger, isSmall })} ${className}`} {...rest}>
      {Icon !== undefined && <Icon size={isSmall === true ? 15 : 16} aria-hidden />}
      {label}
    </button>
  );
}

type IconButtonProps = Omit<ButtonProps, "label" | "isSmall"> & {
  readonly label: string;
  readonly icon: LucideIcon;
  readonly isLarge?: boolean;
};

/** A button with a picture alone; the label is its name and its tooltip. */
export function IconButton({ label, isLarge = false, className = "", ...rest }: IconButtonProps) {
  const named = { "aria-label": label, "data-hint": label, className: `icon ${className}` };
  return <Button kind="quiet" label={null} isSmall={!isLarge} {...named} {...rest} />;
}

/** A tooltip, which overlays.tsx shows, for something that can be pointed at and focused. */
export function hinted(text: string) {
  return { "data-hint": text, "aria-description": text, tabIndex: 0 };
}

/** A file of what is on the page. */
export function CsvLink({ href }: { readonly href: string }) {
  return (
    <a className={buttonClass({})} href={href} download {...hinted(t.downloadThisListAsCsv)}>
      <Download size={16} aria-hidden /> {t.csv}
    </a>
  );
}

export type Described = {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  /** Its name in the API's problems, within the part of the form that it is in. */
  readonly path?: string | undefined;
  /** What is known to be wrong before the server is asked. */
  readonly error?: string | undefined;
};

type FieldProps = Described & {
  readonly children: (props: {
    readonly id: string;
    readonly className: string;
    readonly "aria-describedby": string | undefined;
    readonly "aria-invalid": true | undefined;
  }) => ReactNode;
};

/** A labelled control with what is wrong with it, or a hint. */
export function Field({ label, hint, path, error: ownError, children }: FieldProps) {
  const id = useId();
  const error = useFault(path) ?? ownError;
  const about = error === undefined ? hint : sentence(error);
  const aboutId = about === undefined ? undefined : `${id}-about`;
  const isInvalid = error === undefined ? undefined : true;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, className: "input", "aria-describedby": aboutId, "aria-invalid": isInvalid })}
      {about !== undefined && (
        <p className={isInvalid ? "field-error" : "field-hint"} id={aboutId}>
          {about}
        </p>
      )}
    </div>
  );
}

type Tie<Value> = { readonly path: string; readonly value: Value; readonly onChange: (value: Value) => void };

/** A field's value, what changes it, and the path of its faults, by its name. */
export function fieldsOf<Values extends object>(values: Values, set: (change: Partial<Values>) => void) {
  return <Name extends keyof Values & string>(name: Name): Tie<Values[Name]> => ({
    path: name,
    value: values[name],
    onChange: (value) => set({ [name]: value } as unknown as Partial<Values>),
  });
}

/** A text that is `null` where the field is empty. */
export function orNull({ path, value, onChange }: Tie<string | null>): Tie<string> {
  return { path, value: value ?? "", onChange: (text) => onChange(text === "" ? null : text) };
}

type FieldErrorProps = { readonly path: string; readonly part?: "whole" | "itself" };

/** What is wrong with a group of controls; it can be focused like a field. */
export function FieldError({ path, part = "whole" }: FieldErrorProps) {
  const text = useFault(path, part);
  return text === undefined ? null : (
    <p className="field-error" tabIndex={-1} data-fault>
      {sentence(text)}
    </p>
  );
}

/** The API says `is not an absolute URL`; alone below a field that needs a capital. */
function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export type TextFieldProps = Described &
  Omit<ComponentProps<"input">, "onChange" | "value"> & {
    readonly value: string;
    readonly onChange: (value: string) => void;
  };

export function TextField({ label, hint, path, error, onChange, ...rest }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} path={path} error={error}>
      {(props) => <input {...props} {...rest} onChange={(event) => onChange(event.currentTarget.value)} />}
    </Field>
  );
}

/** For an address: without a scheme it gets `https://` when it is left. */
export function AddressField(props: TextFieldProps) {
  const complete = () => {
    const whole = withScheme(props.value);
    if (whole !== props.value) {
      props.onChange(whole);
    }
  };
  return <TextField inputMode="url" {...props} onBlur={complete} />;
}

type Value = string | number | null;
type Choice<Chosen extends Value> = { readonly value: Chosen; readonly label: string };

/** Of names in words, in their order. */
export function choicesOf<Chosen extends string>(names: { readonly [value in Chosen]: string }) {
  return (Object.keys(names) as Chosen[]).map((value) => ({ value, label: names[value] }));
}

type SelectFieldProps<Chosen extends Value> = Described & {
  readonly value: Value;
  readonly onChange: (value: Chosen) => void;
  readonly choices: readonly Choice<Chosen>[];
};

/** The platform's own list: it is at home on a phone and by keyboard. */
export function SelectField<Chosen extends Value>(props: SelectFieldProps<Chosen>) {
  const { value, onChange, choices, ...described } = props;
  return (
    <Field {...described}>
      {(ofField) => <Select {...ofField} value={value} onChange={onChange} choices={choices} />}
    </Field>
  );
}

type SelectProps<Chosen extends Value> = Omit<ComponentProps<"select">, "onChange" | "value"> &
  Pick<SelectFieldProps<Chosen>, "value" | "onChange" | "choices">;

export function Select<Chosen extends Value>(props: SelectProps<Chosen>) {
  const { value: current, choices, onChange, className = "input", ...rest } = props;
  return (
    <select
      {...rest}
      className={className}
      value={current ?? ""}
      onChange={({ currentTarget }) => {
        const chosen = choices[currentTarget.selectedIndex];
        if (chosen !== undefined) {
          onChange(chosen.value);
        }
      }}
    >
      {choices.map(({ value, label }) => (
        <option key={value} value={value ?? ""}>
          {label}
        </option>
      ))}
    </select>
  );
}

type CheckListProps<Chosen extends string> = Pick<CheckboxProps, "isDisabled"> & {
  readonly choices: readonly { readonly value: Chosen; readonly label: ReactNode }[];
  readonly chosen: readonly Chosen[];
  readonly onChange: (chosen: Chosen[]) => void;
};

/** Any number of them, all visible. */
export function CheckList<Chosen extends string>(props: CheckListProps<Chosen>) {
  const { choices, chosen, onChange, ...rest } = props;
  return choices.map(({ value, label }) => (
    <Checkbox
      key={value}
      label={label}
      isOn={chosen.includes(value)}
      onChange={(isOn) => onChange(isOn ? [...chosen, value] : chosen.filter((one) => one !== value))}
      {...rest}
    />
  ));
}

type CheckboxProps = {
  readonly label: ReactNode;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly isDisabled?: boolean;
};

export function Checkbox(props: CheckboxProps) {
  return <Tick {...props} className="checkbox" />;
}

export function Switch(props: CheckboxProps) {
  return <Tick {...props} className="switch" role="switch" />;
}

type TickProps = CheckboxProps & { readonly className: string; readonly role?: "switch" };

function Tick({ label, isOn, onChange, isDisabled = false, ...look }: TickProps) {
  return (
    <label className="row">
      <input
        type="checkbox"
        {...look}
        checked={isOn}
        disabled={isDisabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  );
}

type SegmentsProps<Chosen extends string> = Pick<
  SelectFieldProps<Chosen>,
  "value" | "onChange" | "choices"
> & { readonly label: string };

/** A choice of a few, all visible. */
export function Segments<Chosen extends string>({ label, value, onChange, choices }: SegmentsProps<Chosen>) {
  return (
    <div className="segments" role="group" aria-label={label}>
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === value}
          onClick={() => onChange(choice.value)}
        >
          {choice.label}
        </button>
      ))}
    </div>
  );
}

type FilterChipProps = { readonly text: string; readonly mark?: ReactNode; readonly onRemove: () => void };

/** A filter that is in force, with the way to take it away. */
export function FilterChip({ text, mark, onRemove }: FilterChipProps) {
  return (
    <span className="chip active">
      {mark}
      <span className="cut">{text}</span>
      <button type="button" aria-label={t.removeFilter(text)} onClick={onRemove}>
        <X size={13} aria-hidden />
      </button>
    </span>
  );
}

/** An instant in few words; pointing at it says the rest. */
export function Time({ at, text }: { readonly at: string; readonly text: string }) {
  return (
    <time dateTime={at} title={formatDateTime(at)}>
      {text}
    </time>
  );
}

/** An address with its path first, which tells more than the host: where there is no room, that is cut. */
export function PathFirst({ url }: { readonly url: string }) {
  const [, host = "", path = ""] = /^([^/]*)(\/.+)?$/.exec(formatUrl(url)) ?? [];
  return path === "" ? (
    host
  ) : (
    <>
      {path} <span className="soft small">{host}</span>
    </>
  );
}
