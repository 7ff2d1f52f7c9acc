/** The head of a page, and what it says instead of its content: that it loads, that there is nothing yet, that something failed. */
import { CircleAlert, Info, type LucideIcon } from "lucide-react";
import { type ComponentProps, type ReactNode, useEffect, useState } from "react";
import { explain } from "../api.ts";
import { Button } from "./controls.tsx";
import { t } from "./words.ts";

type PageHeadProps = { readonly title: string; readonly about?: ReactNode; readonly children?: ReactNode };

/** Its name, which the tab shows too, and what can be done there. */
export function PageHead({ title, about, children }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} - Hopline`;
  }, [title]);
  return (
    <header className="page-head">
      <div className="page-name">
        <h1 dir="auto" tabIndex={-1}>
          {title}
        </h1>
        {about !== undefined && <div className="soft">{about}</div>}
      </div>
      {children !== undefined && <div className="row wrap spread">{children}</div>}
    </header>
  );
}

type NoteProps = { readonly kind?: "info" | "good" | "warn" | "bad"; readonly children: ReactNode };

export function Note({ kind = "info", children }: NoteProps) {
  const Icon = kind === "bad" || kind === "warn" ? CircleAlert : Info;
  return (
    <div className={`note ${kind}`} role={kind === "bad" ? "alert" : undefined}>
      <Icon size={16} aria-hidden />
      <div>{children}</div>
    </div>
  );
}

export function ErrorNote({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const { text, requestId } = explain(error);
  return (
    <Note kind="bad">
      {text}
      {requestId !== null && (
        <span className="request-id">
          {t.ifYouReportThisQuote} <code>{requestId}</code>.
        </span>
      )}
      {onRetry !== undefined && (
        <div>
          <Button label={t.tryAgain} isSmall onClick={onRetry} />
        </div>
      )}
    </Note>
  );
}

type WaitingProps = ComponentProps<typeof Skeleton> & {
  readonly query: {
    readonly isPending: boolean;
    readonly error: unknown;
    readonly refetch: () => Promise<unknown>;
  };
};

/** In the place of what is on its way, or did not come. */
export function Waiting({ query: { isPending, error, refetch }, ...look }: WaitingProps) {
  return isPending ? (
    <Skeleton {...look} />
  ) : (
    error !== null && <ErrorNote error={error} onRetry={() => void refetch()} />
  );
}

type EmptyProps = {
  readonly icon?: LucideIcon;
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
};

export function Empty({ icon: Icon, title, children, action }: EmptyProps) {
  return (
    <div className="empty">
      {Icon !== undefined && <Icon size={28} aria-hidden />}
      <h2>{title}</h2>
      {children !== undefined && <p>{children}</p>}
      {action}
    </div>
  );
}

type ShowMoreProps = {
  readonly query: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => Promise<unknown>;
  };
};

/** Below a list that has further pages. */
export function ShowMore({ query }: ShowMoreProps) {
  return !query.hasNextPage ? null : (
    <div>
      <Button
        label={query.isFetchingNextPage ? t.loading : t.showMore}
        isSmall
        disabled={query.isFetchingNextPage}
        onClick={() => void query.fetchNextPage()}
      />
    </div>
  );
}

const SLOW_MS = 3_000;

/** Grey lines in the place of what is being loaded. */
export function Skeleton({ lines = 3, height = 18 }: { readonly lines?: number; readonly height?: number }) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="stack tight" aria-busy="true" aria-label={t.loadingLabel}>
      {Array.from({ length: lines }, (_, index) => (
        <div key={index} className="skeleton" style={{ height, width: `${100 - ((index * 17) % 40)}%` }} />
      ))}
      {isSlow && (
        <p className="soft small" role="status">
          {t.takingLongerThanUsual}
        </p>
      )}
    </div>
  );
}
