/** Copies a text or a picture, and says so. */
import { say } from "./toasts.ts";
import { t } from "./words.ts";

/** `name` stands for a text that the message must not show. */
export function copy(text: string, name: string = text): Promise<void> {
  return put(() => navigator.clipboard.writeText(text), name, t.selectAndCopyItYourself(name));
}

/** A PNG at an address of this origin. */
export function copyPicture(path: string, name: string): Promise<void> {
  const write = () => {
    const picture = fetch(path).then((answer) => answer.blob());
    return navigator.clipboard.write([new ClipboardItem({ "image/png": picture })]);
  };
  return put(write, name, t.downloadInstead(name));
}

async function put(write: () => Promise<void>, name: string, otherwise: string): Promise<void> {
  try {
    await write();
    say(t.copiedName(name));
  } catch {
    say(t.thisBrowserDoesNotAllow(otherwise));
  }
}
