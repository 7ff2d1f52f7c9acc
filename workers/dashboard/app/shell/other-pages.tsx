/** Pages that stand in for another one: while it loads, where there is none, and when it failed. */
import { Link, useRouter } from "@tanstack/react-router";
import { Compass } from "lucide-react";
import { Empty, ErrorNote, Skeleton } from "../ui/page.tsx";
import { buttonClass } from "../ui/controls.tsx";

export function LoadingPage() {
  return (
    <main className="page">
      <Skeleton lines={6} height={28} />
    </main>
  );
}

export function MissingPage() {
  return (
    <main className="page">
      <Empty
        icon={Compass}
        title="There is no such page"
        action={
          <Link to="/" className={buttonClass({})}>
            Go to your links
          </Link>
        }
      >
        The address may be mistyped, or what it led to has been deleted.
      </Empty>
    </main>
  );
}

export function BrokenPage({ error, reset }: { readonly error: unknown; readonly reset: () => void }) {
  const router = useRouter();
  return (
    <main className="page">
      <ErrorNote
        error={error}
        onRetry={() => {
          reset();
          void router.invalidate();
        }}
      />
    </main>
  );
}
