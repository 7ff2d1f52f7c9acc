/** New passwords that are tried first. The list is loaded when one is set. */
import { isInFilter } from "./bloom-filter.ts";
import { judgePassword } from "./judge-password.ts";

/** Why a new password is refused; `null` if it is not. */
export async function findPasswordFault(
  password: string,
  ownWords: readonly string[],
): Promise<string | null> {
  const { COMMON_PASSWORDS } = await import("./common-passwords.ts");
  return judgePassword(password, ownWords, (text) => isInFilter(text, COMMON_PASSWORDS));
}
