/** The head of a page: its name, which the tab shows too, and what can be done there. */
import { type ReactNode, useEffect } from "react";

type PageHeadProps = { readonly title: string; readonly about?: ReactNode; readonly children?: ReactNode };

export function PageHead({ title, about, children }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} - Hopline`;
  }, [title]);
  return (
    <header className="page-head">
      <div className="page-name">
        <h1 dir="auto">{title}</h1>
        {about !== undefined && <div className="soft">{about}</div>}
      </div>
      {children !== undefined && <div className="row wrap spread">{children}</div>}
    </header>
  );
}
