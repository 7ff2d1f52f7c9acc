/**
 * Answers for a link with a password: a cookie of an earlier try, or the form. A right password is answered with the
 * redirect itself (303, so that it is not sent on), and works without cookies too; the cookie spares the next visit.
 */
import { withTimeout } from "@hopline/edge-cache/with-timeout";
import type { LinkRecord } from "@hopline/core/link/link-record";
import { verifyPassword } from "@hopline/sealing/password";
import { isForm, readNetwork, type RequestContext } from "../../request-context.ts";
import { answerPage } from "../fallbacks.ts";
import { respondUnavailable } from "../respond-page.ts";
import { createUnlockCookies } from "./unlock-cookie.ts";

/** The period of PASSWORD_LIMIT in wrangler.jsonc. */
const LIMIT_RETRY_AFTER_SECONDS = "60";

/** A password of 256 characters, percent-encoded, with its name. */
const MAX_FORM_BYTES = 4_096;

/** @param answer what the link says to a visitor who has given the password, or has not. */
export async function answerLocked(
  record: LinkRecord,
  context: RequestContext,
  answer: (isUnlocked: boolean) => Promise<Response>,
): Promise<Response> {
  const { request, headers, path, deps, visit } = context;
  const cookies = createUnlockCookies(deps.secret, deps.nowMs);
  const isUnlocked = await cookies.isUnlocked(record, headers.get("cookie"));
  // Who has unlocked the link is not asked again: no attack on the password keeps them out.
  if (record.password === undefined || isUnlocked || !isForm(context)) {
    return answer(isUnlocked);
  }
  // Where tries can't be counted, none is accepted.
  const refuse = (reason: string): Promise<Response> => {
    deps.log({ event: "password.limit_failed", reason });
    return respondUnavailable(request);
  };
  const inTime = <T>(work: () => Promise<T>) => withTimeout(work, visit.untilMs - deps.nowMs(), deps.wait);
  const begun = await inTime(() => deps.passwords.begin(record.linkId, readNetwork(headers)));
  if (begun.kind === "failed") {
    return refuse(begun.reason);
  }
  const noteWrong = begun.value;
  if (noteWrong === null) {
    return answerPage(context, "too_many_passwords", {
      fields: { "retry-after": LIMIT_RETRY_AFTER_SECONDS },
    });
  }
  if (!(await verifyPassword(await readPassword(request), record.password))) {
    const noted = await inTime(noteWrong);
    return noted.kind === "failed" ? refuse(noted.reason) : answerPage(context, "password_wrong");
  }
  const response = await answer(true);
  const cookie = await cookies.issue(record, { url: request.url, path });
  if (cookie !== null) {
    response.headers.append("set-cookie", cookie);
  }
  return response;
}

/** The password in the form, "" where there is none. Reads no more than a form can be long. */
async function readPassword(request: Request): Promise<string> {
  const reader = request.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let bytes = 0; reader !== undefined;) {
    const { done, value } = await reader.read();
    if (done) {
      break;
    }
    bytes += value.byteLength;
    if (bytes > MAX_FORM_BYTES) {
      await reader.cancel();
      return "";
    }
    text += decoder.decode(value, { stream: true });
  }
  return new URLSearchParams(text).get("password") ?? "";
}
