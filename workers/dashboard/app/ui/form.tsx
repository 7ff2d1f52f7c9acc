/**
 * The one kind of form. Each fault that a server finds stands at its field, the first one gets the focus, and an edit takes it
 * away; what no field shows, and that there is no connection, stands beside the button.
 */
import { HoplineError } from "@hopline/client/hopline-error";
import { WifiOff } from "lucide-react";
import { type ReactNode, use, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Button } from "./controls.tsx";
import { FormContext, type Sending } from "./form-context.tsx";
import { type Claim, type Fault, faultsOutside, faultsStill } from "./faults.ts";
import { ErrorNote, Note } from "./page.tsx";
import { useIsOnline } from "./use-is-online.ts";
import { shared } from "../words.ts";
import { t } from "./words.ts";

type FormProps = {
  /** What is edited, by the API's names. */
  readonly values: object;
  readonly sending: Sending;
  readonly onSubmit: () => void;
  readonly className?: string;
  /** Ctrl or ⌘ with Enter sends it from anywhere on its page, or in its dialog, and not from its fields alone. */
  readonly isMain?: boolean;
  readonly children: ReactNode;
};

export function Form(props: FormProps) {
  const { values, sending, onSubmit, className = "stack", isMain = false, children } = props;
  const form = useRef<HTMLFormElement>(null);
  const [claims] = useState(() => new Set<Claim>());
  const latest = useRef(onSubmit);
  useLayoutEffect(() => {
    latest.current = onSubmit;
  });
  const { error } = sending;
  const faults = useFaults(error, values);
  useEffect(() => {
    if (error !== null) {
      // A section that is closed would hide what is wrong in it.
      form.current
        ?.querySelectorAll("details:has(.field-error)")
        .forEach((section) => section.setAttribute("open", ""));
      focusFault(form.current);
    }
  }, [error]);
  useEffect(() => {
    const place: HTMLElement | null = isMain ? document.documentElement : form.current;
    const onKey = (event: KeyboardEvent) => {
      const isInside = event.target instanceof Node && form.current?.contains(event.target) === true;
      const isOnTop = document.querySelector(".dialog") === (form.current?.closest(".dialog") ?? null);
      const isHeard = isInside || (isOnTop && !event.defaultPrevented);
      if (isHeard && event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        form.current?.requestSubmit();
      }
    };
    place?.addEventListener("keydown", onKey);
    return () => place?.removeEventListener("keydown", onKey);
  }, [isMain]);
  return (
    <form
      ref={form}
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        finishTyping(event.currentTarget);
        latest.current();
      }}
    >
      <FormContext value={{ sending, faults, claims, path: "" }}>{children}</FormContext>
    </form>
  );
}

function useFaults(error: unknown, values: object): readonly Fault[] {
  const [judged, setJudged] = useState({ error, values });
  if (judged.error !== error) {
    setJudged({ error, values });
  }
  return useMemo(() => faultsStill(faultsIn(error), judged.values, values), [error, judged, values]);
}

function faultsIn(error: unknown) {
  return error instanceof HoplineError ? (error.problem?.errors ?? []) : [];
}

/** What a field makes of its text when it is left (`https://` before a host, a tag of what was typed) is sent by keys, too. */
function finishTyping(form: HTMLFormElement): void {
  const field = document.activeElement;
  if (field instanceof HTMLInputElement && form.contains(field)) {
    flushSync(() => field.blur());
    field.focus({ preventScroll: true });
  }
}

/** In people's words where a form knows better than the API; `null` where it does not. */
export type ExplainError = (error: unknown) => ReactNode;

/** Beside the button: how many faults there are, what no field can show, and that there is no connection. */
export function FormState({ explainError }: { readonly explainError?: ExplainError | undefined }) {
  const { sending, faults, claims } = use(FormContext);
  const isOnline = useIsOnline();
  const { error, isPaused } = sending;
  const others = faultsOutside(faults, claims);
  const count = faults.length - others.length;
  const own = error === null ? null : (explainError?.(error) ?? null);
  return (
    <>
      {error !== null && (own !== null || faultsIn(error).length === 0) && (
        <div tabIndex={-1} data-fault>
          {own ?? <ErrorNote error={error} />}
        </div>
      )}
      {own === null && others.length > 0 && (
        <div tabIndex={-1} data-fault>
          <Note kind="bad">{others.map(({ message }) => message).join("; ")}</Note>
        </div>
      )}
      {count > 0 && (
        <span role="alert">
          <Button
            label={count === 1 ? t.n1ThingNeedsAnotherLook : t.thingsNeedAnotherLook(count)}
            isSmall
            isDanger
            onClick={(event) => focusFault(event.currentTarget.form)}
          />
        </span>
      )}
      {!isOnline && (
        <span className="row small" role="status">
          <WifiOff size={15} aria-hidden />
          {isPaused ? t.willBeSaved : t.youAreOffline}
        </span>
      )}
    </>
  );
}

type FormEndProps = {
  /** What the button does. */
  readonly submit: ReactNode;
  readonly isDanger?: boolean;
  /** There is nothing to send yet. */
  readonly isDisabled?: boolean;
  readonly onCancel?: (() => void) | undefined;
  readonly explainError?: ExplainError;
};

/** The end of a form: what is wrong with it, and its buttons. */
export function FormEnd({ onCancel, explainError, ...button }: FormEndProps) {
  return (
    <div className="stack form-end">
      <FormState explainError={explainError} />
      <div className="row">
        {onCancel !== undefined && (
          <Button label={shared.cancel} kind="quiet" className="spread" onClick={onCancel} />
        )}
        <SubmitButton {...button} />
      </div>
    </div>
  );
}

type SubmitButtonProps = Pick<FormEndProps, "submit" | "isDanger" | "isDisabled">;

export function SubmitButton({ submit, isDanger = false, isDisabled = false }: SubmitButtonProps) {
  const { isPending } = use(FormContext).sending;
  return (
    <Button
      label={submit}
      kind="primary"
      type="submit"
      isDanger={isDanger}
      disabled={isDisabled || isPending}
    />
  );
}

function focusFault(form: HTMLFormElement | null): void {
  const first = form?.querySelector<HTMLElement>("[aria-invalid=true], [data-fault]");
  first?.scrollIntoView({ block: "center" });
  first?.focus({ preventScroll: true });
}
