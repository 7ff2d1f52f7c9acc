/** Choosing from a list by typing. What does that comes after the page: until then there is the field, with what is chosen. */
import { Suspense } from "react";
import type { ChoiceFieldProps, TokensFieldProps } from "./combobox-fields.tsx";
import { type Described, Field } from "./controls.tsx";
import { lazyPart } from "./lazy-part.ts";

const load = () => import("./combobox-fields.tsx");
const Tokens = lazyPart(load, "TokensField");
const OneChoice = lazyPart(load, "ChoiceField");

export function TokensField(props: TokensFieldProps) {
  return (
    <Suspense fallback={<Waiting {...props} text={props.tokens.join(", ")} />}>
      <Tokens {...props} />
    </Suspense>
  );
}

export function ChoiceField(props: ChoiceFieldProps) {
  const chosen = props.choices?.find(({ value }) => value === props.value);
  return (
    <Suspense fallback={<Waiting {...props} text={chosen?.label ?? props.value} />}>
      <OneChoice {...props} />
    </Suspense>
  );
}

type WaitingProps = Described & { readonly text: string; readonly placeholder?: string };

function Waiting({ label, hint, path, text, placeholder }: WaitingProps) {
  return (
    <Field label={label} hint={hint} path={path}>
      {(props) => <input {...props} value={text} placeholder={placeholder} disabled />}
    </Field>
  );
}
