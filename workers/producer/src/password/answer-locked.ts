/**
 * Answers for a link with a password: a cookie of an earlier try, or the form. A right password is answered with the
 * redirect itself (303, so that it is not sent on), and works without cookies too; the cookie spares the next visit.
 */
import type { PasswordHash } from "@hopline/core/link/link-extras";
import { verifyPassword } from "@hopline/sealing/password";
import type { Found } from "../depart.ts";
import { answerPage } from "../answer-without-link.ts";
import { nameOfError } from "../log.ts";
import { PASSWORD_WRONG, TOO_MANY_TRIES } from "../pages.ts";
import { respondUnavailable } from "../respond-page.ts";
import { readNetwork } from "../read-network.ts";
import { isForm } from "./is-form.ts";
import { readPassword } from "./read-password.ts";
import { createUnlockCookies } from "./unlock-cookie.ts";

/** The period of PASSWORD_LIMIT in wrangler.jsonc. */
const LIMIT_RETRY_AFTER_SECONDS = "60";

/** @param answer what the link says to a visitor who has given the password, or has not. */
export async function answerLocked(
  found: Found,
  password: PasswordHash,
  answer: (isUnlocked: boolean) => Response | Promise<Response>,
): Promise<Response> {
  const { record, exchange } = found;
  const { request, headers, path, deps } = exchange;
  const cookies = createUnlockCookies(deps.secret, deps.nowMs);
  if (!isForm(request)) {
    return answer(await cookies.isUnlocked(record, headers.get("cookie")));
  }
  const refusal = await refuseTry(found);
  if (refusal !== null) {
    return refusal;
  }
  if (!(await verifyPassword(await readPassword(request), password))) {
    return answerPage(exchange, PASSWORD_WRONG);
  }
  const response = await answer(true);
  response.headers.append("set-cookie", await cookies.issue(record, { url: request.url, path }));
  return response;
}

/** `null`: go ahead. Fails closed: where tries can't be counted, none is taken. */
async function refuseTry({ record, exchange }: Found): Promise<Response | null> {
  const { request, headers, deps } = exchange;
  try {
    const isAllowed = await deps.passwords.allows(record.linkId, readNetwork(headers));
    return isAllowed
      ? null
      : await answerPage(exchange, TOO_MANY_TRIES, { fields: { "retry-after": LIMIT_RETRY_AFTER_SECONDS } });
  } catch (error) {
    deps.log({ event: "password.limit_failed", reason: nameOfError(error) });
    return respondUnavailable(request);
  }
}
