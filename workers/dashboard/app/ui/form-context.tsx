/** What the parts of a form know of it (form.tsx); a field learns by its path what is wrong with it. */
import { createContext, type ReactNode, use, useEffect } from "react";
import { type Claim, type Fault, faultAt, joinPath } from "./faults.ts";

/** A mutation, as far as a form shows it. */
export type Sending = {
  readonly error: unknown;
  readonly isPending: boolean;
  /** It waits for the connection. */
  readonly isPaused: boolean;
};

type FormState = {
  readonly sending: Sending;
  readonly faults: readonly Fault[];
  /** The fields that show their faults. */
  readonly claims: Set<Claim>;
  /** Of the part of the form that this is. */
  readonly path: string;
};

export const FormContext = createContext<FormState>({
  sending: { error: null, isPending: false, isPaused: false },
  faults: [],
  claims: new Set(),
  path: "",
});

/** `undefined`, too, for a field without a path: no server judges it. */
export function useFault(path: string | undefined, part: "whole" | "itself" = "whole"): string | undefined {
  const { faults, claims, path: outer } = use(FormContext);
  const full = path === undefined ? null : joinPath(outer, path);
  const isWhole = part === "whole";
  useEffect(() => {
    if (full === null) {
      return undefined;
    }
    const claim = { path: full, isWhole };
    claims.add(claim);
    return () => void claims.delete(claim);
  }, [claims, full, isWhole]);
  return full === null ? undefined : faultAt(faults, { path: full, isWhole });
}

type WithinProps = { readonly path: string; readonly children: ReactNode };

/** A part of a form, whose fields have paths within it. */
export function Within({ path, children }: WithinProps) {
  const outer = use(FormContext);
  return <FormContext value={{ ...outer, path: joinPath(outer.path, path) }}>{children}</FormContext>;
}
