/** Copies a text or a picture, and says so. */
import { say } from "./toasts.ts";

/** `name` stands for a text that the message must not show. */
export function copy(text: string, name: string = text): Promise<void> {
  return put(() => navigator.clipboard.writeText(text), name, `Select ${name} and copy it yourself.`);
}

/** A PNG at an address of this origin. */
export function copyPicture(path: string, name: string): Promise<void> {
  const write = () => {
    const picture = fetch(path).then((answer) => answer.blob());
    return navigator.clipboard.write([new ClipboardItem({ "image/png": picture })]);
  };
  return put(write, name, `Download ${name} instead.`);
}

async function put(write: () => Promise<void>, name: string, otherwise: string): Promise<void> {
  try {
    await write();
    say(`Copied ${name}`);
  } catch {
    say(`This browser does not allow copying. ${otherwise}`);
  }
}
