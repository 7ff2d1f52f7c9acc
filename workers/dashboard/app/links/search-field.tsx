/** A search that the address holds, asked as it is typed. */
import { Search } from "lucide-react";
import { type RefObject, useEffect, useState } from "react";
import { useDebounced } from "./use-debounced.ts";

/** Long enough for the next letter of somebody who types, short enough not to be waited for. */
const SEARCH_DELAY_MS = 180;

type SearchFieldProps = {
  readonly label: string;
  readonly placeholder: string;
  readonly q: string;
  readonly onChange: (q: string | undefined) => void;
  readonly field?: RefObject<HTMLInputElement | null>;
  /** The key that leads to the field. */
  readonly shortcut?: string;
};

export function SearchField({ label, placeholder, q, onChange, field, shortcut }: SearchFieldProps) {
  const [text, setText] = useState(q);
  const settled = useDebounced(text, SEARCH_DELAY_MS);
  useEffect(() => {
    if (settled !== q) {
      onChange(settled === "" ? undefined : settled);
    }
    // Only what somebody typed is a search; the address changing by itself is not.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [settled]);
  // Back and forward, and "Remove all filters".
  useEffect(() => setText(q), [q]);
  return (
    <label className="search">
      <Search size={16} aria-hidden />
      <span className="hidden-label">{label}</span>
      <input
        ref={field}
        className="input"
        type="search"
        placeholder={placeholder}
        aria-keyshortcuts={shortcut}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {shortcut !== undefined && <kbd aria-hidden>{shortcut}</kbd>}
    </label>
  );
}
