/** Messages on their way to whatever shows them, which may not be loaded yet. */

type Message = {
  readonly title: string;
  readonly description?: string;
  readonly timeout: number;
  readonly priority?: "high";
  readonly actionProps?: { readonly children: string; readonly onClick: () => void };
};

/** Said before there was anything to show them. */
const waiting: Message[] = [];
let show = (message: Message): unknown => waiting.push(message);

export function showMessagesWith(add: (message: Message) => unknown): void {
  show = add;
  waiting.splice(0).forEach(add);
}

export function putMessage(message: Message): void {
  show(message);
}
