/** The one time that a webhook's secret is shown. */
import { Copy } from "lucide-react";
import type { ReactNode } from "react";
import { copy } from "../links/copy.ts";
import { Button } from "../ui/controls.tsx";
import { Modal } from "../ui/modal.tsx";
import { Note } from "../ui/notes.tsx";

type SecretDialogProps = {
  readonly title: string;
  readonly secret: string;
  readonly onClose: () => void;
  readonly children?: ReactNode;
};

export function SecretDialog({ title, secret, onClose, children }: SecretDialogProps) {
  return (
    <Modal title={title} isOpen onClose={onClose}>
      <Note kind="warn">
        This is the only time that the secret is shown. Messages are signed with it: keep it where your
        receiver reads it.
      </Note>
      <p className="made-link mono">{secret}</p>
      {children}
      <div className="row">
        <Button kind="primary" onClick={() => void copy(secret)} autoFocus>
          <Copy size={16} aria-hidden /> Copy
        </Button>
        <Button kind="quiet" className="spread" onClick={onClose}>
          Done
        </Button>
      </div>
    </Modal>
  );
}
