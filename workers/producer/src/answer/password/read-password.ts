/** The form of the password page, as a browser sends it without any JavaScript. */

/** A password of 256 characters, percent-encoded, with its name. */
const MAX_FORM_BYTES = 4_096;

/** The password given, "" where there is none. Reads no more than a form can be long. */
export async function readPassword(request: Request): Promise<string> {
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
