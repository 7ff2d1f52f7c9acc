/** Messages on their way to whatever shows them, which may not be loaded yet. */

export type Message = {
  readonly title: string;
  readonly description?: string;
  readonly timeout: number;
  readonly priority?: "high";
  readonly actionProps?: { readonly children: string; readonly onClick: () => void };
};

/** Said before there was anything to show them. */
const waiting: Message[] = [];
let show: ((message: Message) => void) | null = null;

/** Returns how to stop. */
export function showMessagesWith(add: (message: Message) => void): () => void {
  show = add;
  waiting.splice(0).forEach(add);
  return () => {
    show = null;
  };
}

export function putMessage(message: Message): void {
  if (show === null) {
    waiting.push(message);
  } else {
    show(message);
  }
}
