/** What went wrong with a change that takes a fresh session, and the way to one. */
import { Link, useLocation } from "@tanstack/react-router";
import { hasCode } from "../api.ts";
import { ErrorNote, Note } from "../ui/notes.tsx";

export function SignInAgain({ error }: { readonly error: unknown }) {
  const { href } = useLocation();
  return hasCode(error, "sign_in_again") ? (
    <Note kind="warn">
      This takes a session of the last ten minutes, so that nobody can do it at a screen that you left open.{" "}
      <Link to="/sign-in" search={{ next: href }}>
        Sign in again
      </Link>
      , and you are back here.
    </Note>
  ) : (
    <ErrorNote error={error} />
  );
}
