/** How a field learns what is wrong with it: by its path in the form around it (form.tsx). */
import { createContext, type ReactNode, use, useEffect, useMemo } from "react";
import { type Claim, Faults, joinPath } from "./faults.ts";

type FormFaults = {
  readonly faults: Faults;
  /** Of the part of the form that this is. */
  readonly path: string;
  /** Says that a fault is shown here; returns how to take that back. */
  readonly claim: (claim: Claim) => () => void;
};

export const FaultContext = createContext<FormFaults>({
  faults: new Faults([]),
  path: "",
  claim: () => () => undefined,
});

/** `undefined`, too, for a field without a path: no server judges it. */
export function useFault(path: string | undefined, part: "whole" | "itself" = "whole"): string | undefined {
  const { faults, path: outer, claim } = use(FaultContext);
  const full = path === undefined ? null : joinPath(outer, path);
  const isWhole = part === "whole";
  useEffect(() => (full === null ? undefined : claim({ path: full, isWhole })), [claim, full, isWhole]);
  return full === null ? undefined : faults.of({ path: full, isWhole });
}

type WithinProps = { readonly path: string; readonly children: ReactNode };

/** A part of a form, whose fields have paths within it. */
export function Within({ path, children }: WithinProps) {
  const outer = use(FaultContext);
  const inner = useMemo(() => ({ ...outer, path: joinPath(outer.path, path) }), [outer, path]);
  return <FaultContext value={inner}>{children}</FaultContext>;
}
