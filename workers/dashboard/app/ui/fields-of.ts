/** What ties the fields of a form to what is edited. */

type Tie<Value> = {
  readonly path: string;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
};

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
