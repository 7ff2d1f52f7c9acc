/** Whether a request is a form that a browser sends: the only POST that a link may answer. */
export function isForm(request: Request): boolean {
  return (
    request.method === "POST" &&
    /^application\/x-www-form-urlencoded\b/i.test(request.headers.get("content-type") ?? "")
  );
}
