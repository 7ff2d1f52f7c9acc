/** Short messages about what was done, with a way back where there is one. */
import { Toast } from "@base-ui/react/toast";
import { X } from "lucide-react";
import { explain } from "../api.ts";

export const toasts = Toast.createToastManager();

/** `undo` is offered for as long as the message is there. */
export function say(text: string, undo?: () => void): void {
  toasts.add({
    title: text,
    timeout: undo === undefined ? 4_000 : 10_000,
    ...(undo === undefined ? {} : { actionProps: { children: "Undo", onClick: undo } }),
  });
}

export function sayError(error: unknown): void {
  const { text, requestId } = explain(error);
  toasts.add({
    title: text,
    ...(requestId === null ? {} : { description: `Request id ${requestId}` }),
    timeout: 12_000,
    priority: "high",
  });
}

export function Toasts() {
  return (
    <Toast.Portal>
      <Toast.Viewport className="toasts">
        <List />
      </Toast.Viewport>
    </Toast.Portal>
  );
}

function List() {
  const { toasts: shown, close } = Toast.useToastManager();
  return shown.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="toast">
      <div className="toast-text">
        <Toast.Title render={<div />} />
        <Toast.Description className="small" render={<div />} />
      </div>
      {toast.actionProps !== undefined && (
        <Toast.Action
          {...toast.actionProps}
          onClick={(event) => {
            toast.actionProps?.onClick?.(event);
            close(toast.id);
          }}
        />
      )}
      <Toast.Close aria-label="Dismiss">
        <X size={14} aria-hidden />
      </Toast.Close>
    </Toast.Root>
  ));
}
