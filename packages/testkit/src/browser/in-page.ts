/** What drive-browser.ts runs in the page. Each function stands alone: it is sent there as text. */

/** As much of the DOM as is used here: its own types clash with those of Workers. */
export type PageElement = {
  readonly isConnected: boolean;
  readonly outerHTML: string;
  readonly textContent: string | null;
  readonly children: ArrayLike<PageElement>;
  scrollIntoView(options: { readonly block: "center" }): void;
  getBoundingClientRect(): {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  };
  getClientRects(): { readonly length: number };
  checkVisibility(options: { readonly visibilityProperty: boolean }): boolean;
  contains(other: PageElement | null): boolean;
  matches(selector: string): boolean;
  querySelector(selector: string): PageElement | null;
  focus(): void;
  dispatchEvent(event: Event): boolean;
  querySelectorAll(selector: string): Iterable<Named>;
};
type Named = PageElement & {
  readonly labels?: ArrayLike<PageElement> | null;
  /** As Chromium tells assistive technology: behind a flag (drive-browser.ts). */
  readonly computedName: string;
  readonly computedRole: string;
  getAttribute(name: string): string | null;
  closest(selector: string): PageElement | null;
};
type Input = PageElement & {
  readonly disabled: boolean;
  readonly readOnly: boolean;
  readonly value: string;
};
type PressEvent = Event & { readonly target: PageElement | null };
type Observer = { observe(root: unknown, options: Readonly<Record<string, true>>): void; disconnect(): void };

type Listening = (type: string, onEvent: (event: PressEvent) => void, isCapturing: boolean) => void;

declare const document: {
  readonly body: PageElement & { toggleAttribute(name: string, isSet: boolean): void };
  readonly activeElement: PageElement | null;
  elementFromPoint(x: number, y: number): PageElement | null;
};
declare const HTMLInputElement: { new (): Input; readonly prototype: Input };
declare const MutationObserver: new (onChange: () => void) => Observer;
declare const addEventListener: Listening;
declare const removeEventListener: Listening;
declare const requestAnimationFrame: (onFrame: () => void) => number;

/**
 * The first control with that accessible name, `Name` or `[name="Name"][role="role"]`. Names are compared by Chromium's own
 * computation, but only where the text of an element, or what labels it, has the name in it.
 */
export function findNamed(root: PageElement, selector: string): PageElement | null {
  const CONTROLS = "a,button,input,select,textarea,summary,h1,h2,h3,[role],[aria-label],[tabindex]";
  const name = /\[name="(.*?)"\]/.exec(selector)?.[1] ?? selector;
  const role = /\[role="(.*?)"\]/.exec(selector)?.[1];
  // Between blocks a name has a space, and the text has none.
  const withoutSpaces = (text: string | null) => text?.replaceAll(/\s/g, "") ?? "";
  for (const element of root.querySelectorAll(CONTROLS)) {
    const texts = [
      ...["aria-label", "placeholder", "title", "value"].map((attribute) => element.getAttribute(attribute)),
      ...Array.from(element.labels ?? [], ({ textContent }) => textContent),
      element.textContent,
    ];
    if (
      (element.getAttribute("aria-labelledby") !== null ||
        texts.some((text) => withoutSpaces(text).includes(withoutSpaces(name)))) &&
      element.closest("[aria-hidden=true], [inert]") === null &&
      element.checkVisibility({ visibilityProperty: true }) &&
      element.computedName === name &&
      (role === undefined || element.computedRole === role)
    ) {
      return element;
    }
  }
  return null;
}

type Pressing = {
  readonly timeoutMs: number;
  /** What lies elsewhere by the time of the press does not get it: the body has `data-missed` then. */
  readonly isGuarded: boolean;
};

/**
 * The middle of a control, in pixels of the window, once a person could press it: it is enabled, it has stopped moving, and
 * nothing lies over it. `null`: it is no longer in the page. Rejects with what is in the way.
 */
export async function placeToPress(
  control: PageElement,
  { timeoutMs, isGuarded }: Pressing,
): Promise<{ readonly x: number; readonly y: number } | null> {
  const endsAtMs = performance.now() + timeoutMs;
  const guard = (hit: PageElement | null) => {
    const events = ["pointerdown", "mousedown", "pointerup", "mouseup", "click"];
    let isMissed: boolean | null = null;
    const onEvent = (event: PressEvent) => {
      isMissed ??= event.target !== hit && !control.contains(event.target);
      if (isMissed) {
        event.stopImmediatePropagation();
        event.preventDefault();
      }
      if (event.type === "pointerup") {
        // The mouse events of the same press follow at once, if they follow.
        setTimeout(() => events.forEach((type) => removeEventListener(type, onEvent, true)));
      }
      document.body.toggleAttribute("data-missed", isMissed);
    };
    events.forEach((type) => addEventListener(type, onEvent, true));
  };
  // In the middle of the window, where nothing that stays in place covers it.
  control.scrollIntoView({ block: "center" });
  let before = "";
  for (;;) {
    await new Promise<void>((resolve) => void requestAnimationFrame(resolve));
    if (!control.isConnected) {
      return null;
    }
    const box = control.getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const there = document.elementFromPoint(x, y);
    const isFree = there !== null && (control.contains(there) || there.contains(control));
    if (there === null) {
      // What was loaded meanwhile has moved it out of the window.
      control.scrollIntoView({ block: "center" });
    }
    const now = [box.x, box.y, box.width, box.height].join(" ");
    if (now === before && box.width > 0 && isFree && !control.matches(":disabled")) {
      if (isGuarded) {
        guard(there);
      }
      return { x, y };
    }
    if (performance.now() > endsAtMs) {
      throw new Error(
        control.matches(":disabled")
          ? "is disabled"
          : isFree
            ? `moves, or has no size: ${now}`
            : `is covered by ${there?.outerHTML.slice(0, 200) ?? "nothing, outside of the window"}`,
      );
    }
    before = now;
  }
}

/** As if the text was pasted over what is there. `null`: it can't be yet, or something else of that name is in front of it. */
export async function replaceText(field: PageElement, text: string): Promise<true | null> {
  if (!field.isConnected || !(field instanceof HTMLInputElement) || field.disabled || field.readOnly) {
    await new Promise<void>((resolve) => void requestAnimationFrame(resolve));
    return null;
  }
  field.focus();
  // What the field before makes of its text when it is left comes first.
  await new Promise<void>((resolve) => void setTimeout(resolve));
  if (!field.isConnected) {
    return null;
  }
  // The element's own setter is the framework's, which takes no notice of what it has set itself.
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(field, text);
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.dispatchEvent(new Event("change", { bubbles: true }));
  return true;
}

/** Resolves once the text is visible somewhere, in a field included. */
export function waitForText(text: string): Promise<true> {
  const textOf = (element: PageElement) =>
    element instanceof HTMLInputElement ? element.value : (element.textContent ?? "");
  const isShown = (element: PageElement): boolean => {
    const parts = Array.from(element.children).filter(
      (part) => textOf(part).includes(text) || part.querySelector("input") !== null,
    );
    return (
      parts.some(isShown) ||
      (textOf(element).includes(text) &&
        !parts.some((part) => textOf(part).includes(text)) &&
        element.checkVisibility({ visibilityProperty: true }) &&
        element.getClientRects().length > 0)
    );
  };
  return new Promise((resolve) => {
    const look = () => {
      if (isShown(document.body)) {
        clearInterval(timer);
        observer.disconnect();
        resolve(true);
      }
    };
    const observer = new MutationObserver(look);
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    // What styles show, and what is typed, changes nothing in the document.
    const timer = setInterval(look, 100);
    look();
  });
}

/** `null`: it was replaced meanwhile, and has no focus. */
export async function takeFocus(element: PageElement): Promise<true | null> {
  element.focus();
  return document.activeElement === element ? true : null;
}

/** A busy page hears later than the browser that its requests are held: until one is refused, they pass. */
export async function passUntilHeld(probe: string): Promise<void> {
  let isHeld = false;
  while (!isHeld) {
    isHeld = await fetch(probe).then(
      () => false,
      () => true,
    );
  }
}
