/** The frame of pages for people who have not signed in. */
import { type ReactNode, useEffect } from "react";
import { TextField, type TextFieldProps } from "../ui/controls.tsx";
import { shared } from "../words.ts";
import { t } from "./words.ts";

type GateProps = { readonly title: string; readonly about?: ReactNode; readonly children: ReactNode };

export function Gate({ title, about, children }: GateProps) {
  useEffect(() => {
    document.title = `${title} - Hopline`;
  }, [title]);
  return (
    <main className="gate">
      <div className="card stack">
        <div className="row">
          <img src="/icon.svg" width={32} height={32} alt="" />
          <strong>{shared.hopline}</strong>
        </div>
        <div className="stack tight">
          <h1>{title}</h1>
          {about !== undefined && <p className="soft">{about}</p>}
        </div>
        {children}
      </div>
    </main>
  );
}

/** Of the account that is signed in to, or created. */
export function EmailField(props: Pick<TextFieldProps, "path" | "value" | "onChange">) {
  const email = { type: "email", name: "email", autoComplete: "username" };
  return <TextField label={t.email} {...email} {...props} required autoFocus />;
}
