/** A menu behind a button, and the same frame for anything else that opens there. Until overlays.tsx is loaded, the button alone. */
import { cloneElement, type ComponentProps, useEffect, useId, useRef, useState } from "react";
import { loadOverlays, useOverlays } from "./load-overlays.ts";
import type { MenuItemProps, PopupMenuProps, PopupProps } from "./overlays.tsx";

export function PopupMenu(props: PopupMenuProps) {
  const { overlays, triggerId, isWanted, buttonProps } = useTrigger();
  return overlays === null ? (
    cloneElement(props.trigger, { ...buttonProps, "aria-haspopup": "menu" })
  ) : (
    <overlays.PopupMenu {...props} triggerId={triggerId} isWanted={isWanted} />
  );
}

export function MenuItem(props: MenuItemProps) {
  const overlays = useOverlays();
  return overlays === null ? null : <overlays.MenuItem {...props} />;
}

export function Popup(props: PopupProps) {
  const { overlays, triggerId, buttonProps } = useTrigger(() => props.onOpenChange(true));
  return overlays === null ? (
    cloneElement(props.trigger, { ...buttonProps, "aria-haspopup": "dialog" })
  ) : (
    <overlays.Popup {...props} triggerId={triggerId} />
  );
}

/**
 * The button before and after: what was pressed meanwhile opens, and what had the focus keeps it. While it is being pressed it stays,
 * because a click that begins on one element and ends on another is none.
 */
function useTrigger(onPress?: () => void) {
  const loaded = useOverlays();
  const [isPressed, setPressed] = useState(false);
  const overlays = isPressed ? null : loaded;
  const triggerId = useId();
  const [isWanted, setWanted] = useState(false);
  const hasFocus = useRef(false);
  useEffect(() => {
    // A popup that opens now takes the focus itself.
    if (overlays !== null && hasFocus.current && !isWanted) {
      document.getElementById(triggerId)?.focus();
    }
  }, [overlays, triggerId, isWanted]);
  const buttonProps: ComponentProps<"button"> = {
    id: triggerId,
    onPointerEnter: loadOverlays,
    onPointerDown: () => setPressed(true),
    onPointerLeave: () => setPressed(false),
    onFocus: () => {
      hasFocus.current = true;
    },
    onBlur: () => {
      hasFocus.current = false;
    },
    onClick: () => {
      loadOverlays();
      setPressed(false);
      setWanted(true);
      onPress?.();
    },
  };
  return { overlays, triggerId, isWanted, buttonProps };
}
