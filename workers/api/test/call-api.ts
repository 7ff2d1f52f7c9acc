/** Requests to the application like a client's. */
import type { Stage } from "./stage.ts";

export type Call = {
  readonly key: string;
  /** An object is sent as JSON. */
  readonly body?: unknown;
  readonly headers?: { readonly [name: string]: string };
};

/** The body is parsed; `null` if there is none. */
export type Answer<Body> = { readonly status: number; readonly headers: Headers; readonly body: Body };

/** `target` is a method and a path: `GET /api/v1/links`. */
export async function callApi<Body = { readonly code?: string }>(
  stage: Pick<Stage, "app">,
  target: string,
  { key, body, headers }: Call,
): Promise<Answer<Body>> {
  const [method = "", path = ""] = target.split(" ", 2);
  const response = await stage.app.request(path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: (text === "" ? null : JSON.parse(text)) as Body,
  };
}
