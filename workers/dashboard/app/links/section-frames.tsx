/** The card and the fold around a section of a form. In a file of their own: a page that draws one section does not load all of them. */
import type { ReactNode } from "react";

export type Frame = { readonly title: string; readonly about: string; readonly children: ReactNode };

export function SectionCard({ title, children }: Frame) {
  return (
    <section className="card stack" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** Closed until it is wanted, or something is wrong in it (form.tsx opens it then). */
export function SectionFold({ title, about, children }: Frame) {
  return (
    <details className="fold">
      <summary>
        {title} <span className="soft small spread">{about}</span>
      </summary>
      <div className="stack">{children}</div>
    </details>
  );
}
