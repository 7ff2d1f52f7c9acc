/** Copies a link's address, and says so. */
import { say } from "../ui/toasts.ts";

export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(`Copied ${text}`);
  } catch {
    say(`The browser does not allow copying. The address is ${text}`);
  }
}
