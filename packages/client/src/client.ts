/**
 * The typed client of Hopline's API, for browsers, Workers and Node. Its operations are those of the OpenAPI document.
 *
 *     const hopline = createClient({ baseUrl: "https://go.example.com", key: "hop_…" });
 *     const link = await hopline.createLink({ body: { url: "https://example.com/" } });
 *     for await (const one of hopline.listLinks({ tag: ["spring"] })) {
 *       // every link with the tag, page after page
 *     }
 *
 * Parameters of path and query stand side by side, the body is `body`. What the API refuses rejects with a `HoplineError`.
 * GETs, and POSTs that take an Idempotency-Key, are sent again when there was no answer or a 5xx; `Retry-After` is respected.
 * Everything else (PATCH, DELETE, and POSTs such as signing in) is sent again only when it was refused with 429.
 */
import { Call, type Answered } from "./call.ts";
import { toHoplineError } from "./hopline-error.ts";
import { OPERATIONS, type operations } from "./openapi.ts";
import { planRetry } from "./retry.ts";

export type ClientOptions = {
  /** The API's origin: `https://go.example.com`. */
  readonly baseUrl: string;
  /** An API key or a session's token. Left out in a page of the deployment's own: its cookie says who has signed in. */
  readonly key?: string;
  /** `ws_…`: of which all calls are. A key has one; for a session, left out, there is only what is the person's own. */
  readonly workspace?: string;
  /** 3 if left out. */
  readonly maxRetries?: number;
  /** Replaces the global fetch. */
  readonly fetch?: (request: Request, init: { readonly signal?: AbortSignal }) => Promise<Response>;
};

export type CallOptions = {
  /** Made for each POST that takes one. Say your own to repeat a POST of an earlier run. */
  readonly idempotencyKey?: string;
  /** Further headers: `if-match`. */
  readonly headers?: { readonly [name: string]: string };
  /** Ends the call, and its waiting for a retry. */
  readonly signal?: AbortSignal;
};

export type HoplineClient = { readonly [Name in keyof operations]: Operation<operations[Name]> };

type Operation<Of> =
  Record<never, never> extends Input<Of>
    ? (input?: Input<Of>, options?: CallOptions) => Call<AnswerOf<Of>>
    : (input: Input<Of>, options?: CallOptions) => Call<AnswerOf<Of>>;

/** What an operation takes. */
export type Input<Of> = Given<Of, "path"> & Given<Of, "query"> & WithBody<Of>;

type Given<Of, Place extends "path" | "query"> = Of extends {
  readonly parameters: { readonly [In in Place]?: infer Names };
}
  ? [NonNullable<Names>] extends [never]
    ? unknown
    : NonNullable<Names>
  : unknown;

type WithBody<Of> = Of extends { readonly requestBody: { readonly content: infer Content } }
  ? { readonly body: BodyOf<Content> }
  : unknown;

/** A file is a Blob, and its `type` says what is in it: `text/csv`. */
type BodyOf<Content> =
  Exclude<keyof Content, "application/json"> extends never
    ? Content["application/json" & keyof Content]
    : Blob;

/** What an operation answers: an object, nothing, or the response itself where it is not JSON. */
export type AnswerOf<Of> = Of extends { readonly responses: infer Responses }
  ? ContentOf<Responses[keyof Responses]>
  : never;

type ContentOf<Answer> = Answer extends { readonly content: infer Content }
  ? Content extends { readonly "application/json": infer Body }
    ? Body
    : Response
  : undefined;

export function createClient(options: ClientOptions): HoplineClient {
  const calls = Object.entries(OPERATIONS).map(([name, target]) => [
    name,
    (input: UntypedInput = {}, ofCall: CallOptions = {}) => {
      const send = (sent: UntypedInput) => answer(target, sent, { ...options, ...ofCall });
      return new Call(send(input), (cursor) => send({ ...input, cursor }));
    },
  ]);
  return Object.fromEntries(calls) as HoplineClient;
}

type UntypedInput = { readonly [name: string]: unknown };

async function answer(
  target: string,
  input: UntypedInput,
  options: ClientOptions & CallOptions,
): Promise<Answered<unknown>> {
  const { method, url, takesKey } = toAddress(target, input, options.baseUrl);
  const init = { method, ...toContent(takesKey, input["body"], options) };
  const response = await sendUntilAnswered(() => new Request(url, init), options);
  if (!response.ok) {
    throw await toHoplineError(response);
  }
  if (response.status === 204) {
    return { data: undefined, response };
  }
  const isJson = /^application\/json\b/i.test(response.headers.get("content-type") ?? "");
  return { data: isJson ? await response.json() : response, response };
}

/** Parameters that are in the path's template go there, and all others into the query. */
function toAddress(target: string, { body: _body, ...parameters }: UntypedInput, baseUrl: string) {
  const [method = "", template = "", mark] = target.split(" ");
  const query = new Map(Object.entries(parameters));
  const path = template.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = toText(query.get(name));
    if (value === "" || value === "." || value === "..") {
      throw new TypeError(`${name} is ${JSON.stringify(value)}, which leads to another path.`);
    }
    query.delete(name);
    return encodeURIComponent(value);
  });
  const url = new URL(path, baseUrl);
  for (const [name, value] of query) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined) {
        url.searchParams.append(name, toText(one));
      }
    }
  }
  return { method, url, takesKey: mark !== undefined };
}

/** Parameters are text, numbers, or true and false. */
function toText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function toContent(
  takesKey: boolean,
  body: unknown,
  { key, workspace, headers, idempotencyKey }: ClientOptions & CallOptions,
) {
  const sent = new Headers({
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(workspace === undefined ? {} : { "hopline-workspace": workspace }),
    ...headers,
  });
  if (takesKey) {
    sent.set("idempotency-key", idempotencyKey ?? crypto.randomUUID());
  }
  if (body === undefined || body instanceof Blob) {
    return { headers: sent, ...(body === undefined ? {} : { body }) };
  }
  sent.set("content-type", "application/json");
  return { headers: sent, body: JSON.stringify(body) };
}

async function sendUntilAnswered(
  toRequest: () => Request,
  options: ClientOptions & CallOptions,
): Promise<Response> {
  const { fetch = (...sent) => globalThis.fetch(...sent), maxRetries = 3, signal } = options;
  for (let number = 0; ; number += 1) {
    const request = toRequest();
    // Not in the request: Node forgets the signal of a request that is garbage-collected while its answer is read.
    const sent = fetch(request, signal === undefined ? {} : { signal });
    const outcome = await sent.catch((error: unknown) => ({ error }));
    const response = outcome instanceof Response ? outcome : null;
    if (response?.ok) {
      return response;
    }
    const attempt = {
      status: response?.status ?? null,
      retryAfter: response?.headers.get("retry-after") ?? null,
      number,
      isRepeatable: request.method === "GET" || request.headers.has("idempotency-key"),
    };
    const moment = { nowMs: Date.now(), random: Math.random() };
    const waitMs = number < maxRetries && signal?.aborted !== true ? planRetry(attempt, moment) : null;
    if (waitMs === null && response !== null) {
      return response;
    }
    if (waitMs === null) {
      throw (outcome as { readonly error: unknown }).error;
    }
    await response?.body?.cancel();
    await wait(waitMs, signal);
  }
}

/** Rejects with the signal's reason when it is aborted first. */
function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
