/** Copies a text, and says so. */
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
