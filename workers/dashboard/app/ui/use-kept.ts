/**
 * What is typed into a form, kept in this tab until it is sent or given up: reloading the page, or having to sign in again,
 * loses nothing, unless the browser keeps nothing. Passwords are never kept.
 */
import { useEffect, useRef, useState } from "react";
import { attempt } from "../attempt.ts";
import { useMe } from "../queries.ts";

const PREFIX = "hopline.draft ";
const SECRETS = new Set(["password", "currentPassword", "newPassword"]);

type Change<Value> = Partial<Value> | ((old: Value) => Partial<Value>);
type Kept<Value> = readonly [Value, set: (change: Change<Value>) => void, forget: () => void];

/**
 * `name` tells the forms of a page apart, and what they began with: a draft of something older is not taken up again. What is done
 * when it is forgotten may be said here.
 */
export function useKept<Value extends object>(
  name: string,
  initial: Value,
  onForgotten?: () => void,
): Kept<Value> {
  const me = useMe();
  const [key] = useState(() => `${PREFIX}${me.id} ${location.pathname} ${name}`);
  const [value, setValue] = useState(() => read(key, initial));
  const isTyped = useRef(false);
  useEffect(() => {
    if (isTyped.current) {
      attempt(() => sessionStorage.setItem(key, JSON.stringify(value, withoutSecrets)));
    }
  }, [key, value]);
  const set = (change: Change<Value>) => {
    isTyped.current = true;
    setValue((old) => ({ ...old, ...(typeof change === "function" ? change(old) : change) }));
  };
  const forget = () => {
    isTyped.current = false;
    attempt(() => sessionStorage.removeItem(key));
    onForgotten?.();
  };
  return [value, set, forget];
}

/** At sign-out. */
export function forgetKept(): void {
  attempt(() =>
    Object.keys(sessionStorage)
      .filter((key) => key.startsWith(PREFIX))
      .forEach((key) => sessionStorage.removeItem(key)),
  );
}

function withoutSecrets(field: string, value: unknown): unknown {
  return SECRETS.has(field) ? undefined : value;
}

function read<Value extends object>(key: string, initial: Value): Value {
  const kept = attempt((): unknown => JSON.parse(sessionStorage.getItem(key) ?? "null"));
  // Of another release of this page, it may have other fields.
  return typeof kept === "object" && kept !== null && Object.keys(kept).every((field) => field in initial)
    ? { ...initial, ...kept }
    : initial;
}
