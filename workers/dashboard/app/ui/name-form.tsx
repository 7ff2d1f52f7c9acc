/** A form of one name: of something new, or a new one for something that is there. */
import { useState } from "react";
import { TextField } from "./controls.tsx";
import type { Sending } from "./form-context.tsx";
import { type ExplainError, Form, FormEnd } from "./form.tsx";

type NameFormProps = {
  readonly label: string;
  readonly name?: string;
  readonly submit: string;
  readonly sending: Sending & { readonly reset: () => void };
  readonly onSubmit: (name: string) => void;
  readonly onCancel?: () => void;
  readonly explainError?: (error: unknown, name: string) => ReturnType<ExplainError>;
};

export function NameForm(props: NameFormProps) {
  const { label, submit, sending, onSubmit, onCancel, explainError } = props;
  const [name, setName] = useState(props.name ?? "");
  return (
    <Form values={{ name }} sending={sending} onSubmit={() => onSubmit(name)} className="stack tight">
      <TextField
        label={label}
        path="name"
        value={name}
        onChange={(text) => {
          setName(text);
          sending.reset();
        }}
        required
        maxLength={200}
        autoFocus={onCancel !== undefined}
      />
      <FormEnd submit={submit} onCancel={onCancel} explainError={(error) => explainError?.(error, name)} />
    </Form>
  );
}
