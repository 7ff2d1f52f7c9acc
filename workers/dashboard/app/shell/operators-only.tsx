/** In the place of what only the deployment's operators see. */
import { Note } from "../ui/notes.tsx";

export function OperatorsOnly() {
  return (
    <Note>
      Only operators see this: the person who opened the set-up link, and those that{" "}
      <code>pnpm operators add</code> names.
    </Note>
  );
}
