/** The one time that a secret is shown: a key, or what a webhook's messages are signed with. */
import { Copy } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "./controls.tsx";
import { copy } from "./copy.ts";
import { Modal } from "./modal.tsx";
import { Note } from "./notes.tsx";

type SecretDialogProps = {
  readonly title: string;
  /** `the key`: what the secret is called in sentences. */
  readonly name: string;
  readonly secret: string;
  /** Where to keep it. */
  readonly advice: string;
  readonly onClose: () => void;
  readonly children?: ReactNode;
};

export function SecretDialog({ title, name, secret, advice, onClose, children }: SecretDialogProps) {
  return (
    <Modal title={title} onClose={onClose}>
      <Note kind="warn">
        This is the only time that {name} is shown. {advice}
      </Note>
      <p className="made-link secret mono">{secret}</p>
      {children}
      <div className="row">
        <Button icon={Copy} label="Copy" kind="primary" onClick={() => void copy(secret, name)} autoFocus />
        <Button label="Done" kind="quiet" className="spread" onClick={onClose} />
      </div>
    </Modal>
  );
}
