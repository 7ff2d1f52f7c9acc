/** Asks a local server for a page of any host: `fetch` sets the header Host itself. */
import { request } from "node:http";

export type VisitInit = { readonly key?: string; readonly body?: string };

export function visitHost(
  url: string,
  { host, path, key, body }: VisitInit & { readonly host: string; readonly path: string },
): Promise<{ readonly status: number; readonly location: string | undefined; readonly text: string }> {
  const headers = {
    host,
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  return new Promise((resolve, reject) => {
    const asked = request(
      new URL(path, url),
      { method: body === undefined ? "GET" : "POST", headers },
      (answer) => {
        let text = "";
        answer.setEncoding("utf8");
        answer.on("data", (chunk: string) => (text += chunk));
        answer.on("end", () =>
          resolve({ status: answer.statusCode ?? 0, location: answer.headers.location, text }),
        );
      },
    );
    asked.on("error", reject);
    asked.end(body);
  });
}
