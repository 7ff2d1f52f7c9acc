/** /api/problems/{code}: the page behind a problem's `type`. It says what the code means and what to do; /api/problems lists all. */
import { PROBLEM_CODES, type ProblemCode, PROBLEMS, PROBLEMS_PATH } from "./problem.ts";
import { REFERENCE_PATH } from "./reference-page.ts";

const POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** `null`: there is no such code. */
export function toProblemPage(code: string): Response | null {
  const known = PROBLEM_CODES.find((one) => one === code);
  return known === undefined ? null : toPage([known]);
}

export function toProblemList(): Response {
  return toPage(PROBLEM_CODES);
}

function toPage(codes: readonly ProblemCode[]): Response {
  const sections = codes.map((code) => {
    const { status, title, detail } = PROBLEMS[code];
    return `<h1>${title}</h1>\n<p><code>${code}</code>, status ${status}</p>\n<p>${detail}</p>`;
  });
  const links = `<p><a href="${PROBLEMS_PATH}">All problems</a>, <a href="${REFERENCE_PATH}">API reference</a></p>`;
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${codes.length === 1 ? PROBLEMS[codes[0] ?? "not_found"].title : "Problems"}: Hopline API</title>
${sections.join("\n")}
${links}
</html>
`;
  return new Response(html, {
    headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": POLICY },
  });
}
