/**
 * Answers for a link with a password: a cookie of an earlier try, or the form. A right password is answered with the
 * redirect itself (303, so that it is not sent on), and works without cookies too; the cookie spares the next visit.
 */
import type { LinkRecord } from "@hopline/core/link/link-record";
import { verifyPassword } from "@hopline/sealing/password";
import { nameOfError } from "../../log.ts";
import { isForm, readNetwork, type RequestContext } from "../../request-context.ts";
import { answerPage } from "../fallbacks.ts";
import { PASSWORD_WRONG, TOO_MANY_TRIES } from "../pages.ts";
import { respondUnavailable } from "../respond-page.ts";
import { readPassword } from "./read-password.ts";
import { createUnlockCookies } from "./unlock-cookie.ts";

/** The period of PASSWORD_LIMIT in wrangler.jsonc. */
const LIMIT_RETRY_AFTER_SECONDS = "60";

/** @param answer what the link says to a visitor who has given the password, or has not. */
export async function answerLocked(
  record: LinkRecord,
  context: RequestContext,
  answer: (isUnlocked: boolean) => Promise<Response>,
): Promise<Response> {
  const { request, headers, path, deps } = context;
  const cookies = createUnlockCookies(deps.secret, deps.nowMs);
  if (record.password === undefined || !isForm(context)) {
    return answer(await cookies.isUnlocked(record, headers.get("cookie")));
  }
  const refusal = await refuseTry(record, context);
  if (refusal !== null) {
    return refusal;
  }
  if (!(await verifyPassword(await readPassword(request), record.password))) {
    return answerPage(context, PASSWORD_WRONG);
  }
  const response = await answer(true);
  const cookie = await cookies.issue(record, { url: request.url, path });
  if (cookie !== null) {
    response.headers.append("set-cookie", cookie);
  }
  return response;
}

/** `null`: go ahead. Fails closed: where tries can't be counted, none is accepted. */
async function refuseTry({ linkId }: LinkRecord, context: RequestContext): Promise<Response | null> {
  const { request, headers, deps } = context;
  try {
    const isAllowed = await deps.passwords.allows(linkId, readNetwork(headers));
    return isAllowed
      ? null
      : await answerPage(context, TOO_MANY_TRIES, { fields: { "retry-after": LIMIT_RETRY_AFTER_SECONDS } });
  } catch (error) {
    deps.log({ event: "password.limit_failed", reason: nameOfError(error) });
    return respondUnavailable(request);
  }
}
