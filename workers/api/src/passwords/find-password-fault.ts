/** New passwords that are tried first. The list is loaded when one is set. */
import { isInFilter } from "./bloom-filter.ts";
import { judgePassword } from "./judge-password.ts";

/** Why a new password is refused; `null` if it is not. */
export async function findPasswordFault(
  password: string,
  ownWords: readonly string[],
): Promise<string | null> {
  const { COMMON_PASSWORDS, LONGEST_COMMON } = await import("./common-passwords.ts");
  // The filter is wrong for one text in a thousand, but none so long is in the list.
  const isCommon = (text: string) => text.length <= LONGEST_COMMON && isInFilter(text, COMMON_PASSWORDS);
  return judgePassword(password, ownWords, isCommon);
}
