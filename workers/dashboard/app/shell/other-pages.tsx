/** Pages that stand in for another one: while it loads, where there is none, and when it failed. */
import { Link, useRouter } from "@tanstack/react-router";
import { Compass } from "lucide-react";
import { Empty, ErrorNote, Skeleton } from "../ui/page.tsx";
import { buttonClass } from "../ui/controls.tsx";
import { t } from "./words.ts";

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
        title={t.thereIsNoSuchPage}
        action={
          <Link to="/" className={buttonClass({})}>
            {t.goToYourLinks}
          </Link>
        }
      >
        {t.addressMayBeMistyped}
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
