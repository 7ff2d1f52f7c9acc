/** Copies a text or a picture, and says so. */
import { say } from "./toasts.ts";

/** `name` stands for a text that the message must not show. */
export async function copy(text: string, name: string = text): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(`Copied ${name}`);
  } catch {
    say(`This browser does not allow copying. Select ${name} and copy it yourself.`);
  }
}

/** A PNG at an address of this origin. */
export async function copyPicture(path: string, name: string): Promise<void> {
  try {
    const picture = fetch(path).then((answer) => answer.blob());
    await navigator.clipboard.write([new ClipboardItem({ "image/png": picture })]);
    say(`Copied ${name}`);
  } catch {
    say(`This browser does not allow copying. Download ${name} instead.`);
  }
}
