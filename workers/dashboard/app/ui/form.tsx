/** A form that a server can refuse: each fault stands at its field, the first one gets the focus, and an edit takes it away. */
import { HoplineError } from "@hopline/client/hopline-error";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Button } from "./controls.tsx";
import { Faults } from "./faults.ts";
import { ErrorNote, Note } from "./notes.tsx";

/** `values` are the form's fields by the API's names. */
export function useFaults(error: unknown, values: object): Faults {
  const [judged, setJudged] = useState({ error, values });
  if (judged.error !== error) {
    setJudged({ error, values });
  }
  const found = error instanceof HoplineError ? (error.problem?.errors ?? []) : [];
  return new Faults(found).still(judged.values, values);
}

type FormProps = {
  readonly error: unknown;
  readonly onSubmit: () => void;
  readonly children: ReactNode;
};

export function Form({ error, onSubmit, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error !== null) {
      focusFault(form.current);
    }
  }, [error]);
  return (
    <form
      ref={form}
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}

type SummaryProps = { readonly error: unknown; readonly faults: Faults; readonly fields: readonly string[] };

/** Beside the button that was pressed: how many faults there are, and what no field can show. */
export function FaultSummary({ error, faults, fields }: SummaryProps) {
  const others = faults.outside(fields);
  const count = faults.all.length - others.length;
  const hadNone = !(error instanceof HoplineError) || (error.problem?.errors ?? []).length === 0;
  return (
    <>
      {error !== null && hadNone && (
        <div tabIndex={-1} data-fault>
          <ErrorNote error={error} />
        </div>
      )}
      {others.length > 0 && (
        <div tabIndex={-1} data-fault>
          <Note kind="bad">{others.map(({ message }) => message).join("; ")}</Note>
        </div>
      )}
      {count > 0 && (
        <span role="alert">
          <Button isSmall isDanger onClick={(event) => focusFault(event.currentTarget.form)}>
            {count === 1 ? "1 thing needs another look" : `${count} things need another look`}
          </Button>
        </span>
      )}
    </>
  );
}

function focusFault(form: HTMLFormElement | null): void {
  const first = form?.querySelector<HTMLElement>("[aria-invalid=true], [data-fault]");
  first?.scrollIntoView({ block: "center" });
  first?.focus({ preventScroll: true });
}
