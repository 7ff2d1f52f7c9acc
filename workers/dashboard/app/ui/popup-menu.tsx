/** A menu behind a button, and the same frame for anything else that opens there. */
import { Menu } from "@base-ui/react/menu";
import { Popover } from "@base-ui/react/popover";
import type { ReactElement, ReactNode } from "react";

type PopupMenuProps = {
  readonly trigger: ReactElement;
  readonly side?: "top" | "bottom";
  readonly align?: "start" | "end";
  readonly children: ReactNode;
};

export function PopupMenu({ trigger, side = "bottom", align = "start", children }: PopupMenuProps) {
  return (
    <Menu.Root>
      <Menu.Trigger render={trigger} />
      <Menu.Portal>
        <Menu.Positioner side={side} align={align} sideOffset={6} className="positioner">
          <Menu.Popup className="popup">{children}</Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

type MenuItemProps = {
  readonly icon?: ReactNode;
  readonly onSelect: () => void;
  readonly isDisabled?: boolean;
  readonly children: ReactNode;
};

export function MenuItem({ icon, onSelect, isDisabled = false, children }: MenuItemProps) {
  return (
    <Menu.Item className="menu-item" onClick={onSelect} disabled={isDisabled}>
      {icon}
      {children}
    </Menu.Item>
  );
}

type PopupProps = {
  readonly trigger: ReactElement;
  readonly title: string;
  readonly isOpen?: boolean;
  readonly onOpenChange?: (isOpen: boolean) => void;
  readonly children: ReactNode;
};

export function Popup({ trigger, title, isOpen, onOpenChange, children }: PopupProps) {
  return (
    <Popover.Root
      {...(isOpen === undefined ? {} : { open: isOpen })}
      {...(onOpenChange === undefined ? {} : { onOpenChange: (open: boolean) => onOpenChange(open) })}
    >
      <Popover.Trigger render={trigger} />
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="start" className="positioner">
          <Popover.Popup className="popup roomy">
            <Popover.Title className="hidden-label">{title}</Popover.Title>
            {children}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
