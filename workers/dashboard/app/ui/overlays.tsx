/** What lies over a page for a moment: menus, popups, tooltips, messages. Loaded by load-overlays.ts. */
import { Menu } from "@base-ui/react/menu";
import { Popover } from "@base-ui/react/popover";
import { Toast } from "@base-ui/react/toast";
import { Tooltip } from "@base-ui/react/tooltip";
import { Check, type LucideIcon, X } from "lucide-react";
import { type ComponentProps, type ReactElement, type ReactNode, useEffect, useRef, useState } from "react";
import { showMessagesWith } from "./message-queue.ts";
import { t } from "./words.ts";

type TriggerElement = ReactElement<ComponentProps<"button">>;

export type PopupMenuProps = {
  readonly trigger: TriggerElement;
  readonly side?: "top" | "bottom";
  readonly align?: "start" | "end";
  /** What gets the focus when something was chosen; the button without it. */
  readonly focusAfter?: () => HTMLElement | null | undefined;
  readonly children: ReactNode;
};

type MenuProps = Partial<PopupMenuProps> & {
  readonly triggerId?: string;
  /** It opens at once: its button was pressed before this was loaded, or it has none. */
  readonly isWanted: boolean;
  /** What a menu without a button has instead. */
  readonly label?: string;
  readonly place?: { readonly getBoundingClientRect: () => DOMRect };
  readonly onClose?: () => void;
};

export function PopupMenu(props: MenuProps) {
  const { trigger, triggerId, isWanted, label, place, onClose, focusAfter, children } = props;
  const { side = "bottom", align = "start" } = props;
  return (
    <Menu.Root defaultOpen={isWanted} onOpenChange={(isOpen) => isOpen || onClose?.()}>
      {trigger !== undefined && <Menu.Trigger id={triggerId} render={trigger} />}
      <Menu.Portal>
        <Menu.Positioner anchor={place} side={side} align={align} sideOffset={6} className="positioner">
          <Menu.Popup className="popup" aria-label={label} finalFocus={() => focusAfter?.() ?? true}>
            {children}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

export type MenuItemProps = {
  readonly icon?: LucideIcon;
  readonly label: string;
  readonly onSelect: () => void;
  /** It is what is in force. */
  readonly isChosen?: boolean;
};

export function MenuItem({ icon: Icon, label, onSelect, isChosen = false }: MenuItemProps) {
  return (
    <Menu.Item className="menu-item" onClick={onSelect}>
      {Icon !== undefined && <Icon size={15} aria-hidden />}
      <span className="cut">{label}</span>
      {isChosen && <Check size={15} aria-label={t.selected} className="spread" />}
    </Menu.Item>
  );
}

export type PopupProps = {
  readonly trigger: TriggerElement;
  readonly title: string;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
  readonly children: ReactNode;
};

export function Popup(props: PopupProps & { readonly triggerId: string }) {
  const { trigger, title, isOpen, onOpenChange, triggerId, children } = props;
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Popover.Root open={isOpen} onOpenChange={(open) => onOpenChange(open)}>
      <Popover.Trigger id={triggerId} render={trigger} />
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="start" className="positioner">
          <Popover.Popup
            ref={popup}
            className="popup roomy"
            // What takes the focus by itself keeps it: a calendar's day.
            initialFocus={() => popup.current?.contains(document.activeElement) !== true}
          >
            <Popover.Title className="hidden-label">{title}</Popover.Title>
            {children}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

const toasts = Toast.createToastManager();

export function Toasts() {
  useEffect(() => showMessagesWith((message) => toasts.add(message)), []);
  return (
    <Toast.Provider toastManager={toasts}>
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList() {
  const { toasts: shown, close } = Toast.useToastManager();
  return shown.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="toast">
      <div className="toast-text">
        <Toast.Title render={<div />} />
        <Toast.Description className="small" render={<div />} />
      </div>
      {toast.actionProps !== undefined && (
        // It calls what the message brought by itself.
        <Toast.Action onClick={() => close(toast.id)} />
      )}
      <Toast.Close aria-label={t.dismiss}>
        <X size={14} aria-hidden />
      </Toast.Close>
    </Toast.Root>
  ));
}

const HINT_DELAY_MS = 400;

type Hinted = { readonly anchor: Element; readonly text: string };

/** The tooltip of whatever has `data-hint`. One for all of them: a row of a table costs nothing for having some. */
export function Hints() {
  const [hinted, setHinted] = useState<Hinted | null>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hide = () => {
      clearTimeout(timer);
      setOpen(false);
    };
    const show = ({ target }: Event, delayMs: number) => {
      const anchor = target instanceof Element ? target.closest("[data-hint]") : null;
      const text = anchor?.getAttribute("data-hint") ?? "";
      hide();
      if (anchor !== null && text !== "") {
        timer = setTimeout(() => {
          setHinted({ anchor, text });
          setOpen(anchor.isConnected);
        }, delayMs);
      }
    };
    const listeners: { readonly [event: string]: (event: Event) => void } = {
      pointerover: (event) => {
        if (event instanceof PointerEvent && event.pointerType === "mouse") {
          show(event, HINT_DELAY_MS);
        }
      },
      focusin: (event) => {
        if (event.target instanceof Element && event.target.matches(":focus-visible")) {
          show(event, 0);
        }
      },
      pointerdown: hide,
      focusout: hide,
      scroll: hide,
    };
    for (const [event, listener] of Object.entries(listeners)) {
      document.addEventListener(event, listener, { capture: true, passive: true });
    }
    return () => {
      clearTimeout(timer);
      for (const [event, listener] of Object.entries(listeners)) {
        document.removeEventListener(event, listener, { capture: true });
      }
    };
  }, []);
  return (
    <Tooltip.Root open={isOpen} onOpenChange={setOpen}>
      <Tooltip.Portal>
        <Tooltip.Positioner anchor={hinted?.anchor ?? null} sideOffset={6} className="positioner">
          <Tooltip.Popup className="tooltip">{hinted?.text}</Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
