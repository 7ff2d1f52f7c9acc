/** An instant, as the clock on the wall of a time zone shows it. */
import { preferredZone } from "../preferences.ts";
import { type Described, TextField } from "../ui/controls.tsx";
import { fromWallTime, toWallTime } from "./wall-time.ts";

type InstantFieldProps = Described & {
  /** RFC 3339. */
  readonly value: string | null;
  readonly timeZone?: string;
  readonly onChange: (value: string | null) => void;
  readonly autoFocus?: boolean;
};

export function InstantField({ value, timeZone = preferredZone(), onChange, ...rest }: InstantFieldProps) {
  return (
    <TextField
      {...rest}
      type="datetime-local"
      value={toWallTime(value, timeZone)}
      onChange={(text) => onChange(fromWallTime(text, timeZone))}
    />
  );
}
