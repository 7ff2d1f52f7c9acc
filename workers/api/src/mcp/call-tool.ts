/** A tool's call as a request to the API, and the API's answer as the tool's. Pure but for reading the answer. */
import type { Arguments, Tool } from "./tools.ts";

/** Some 15,000 tokens: what is longer would push everything else out of a model's memory. */
export const MAX_ANSWER_CHARACTERS = 60_000;

export type ToolAnswer = { readonly text: string; readonly isError: boolean };

/** No parameter of a query takes more. */
const MAX_VALUES = 100;
/** Cloudflare takes a URL of 16 KB (https://developers.cloudflare.com/workers/platform/limits/). */
const MAX_QUERY_CHARACTERS = 15_000;

/**
 * Throws `TypeError` for a path parameter that would lead to another path, for an argument that the tool does not have, and for
 * more than a query can hold: the model reads why.
 */
export function toToolRequest(tool: Tool, given: Arguments, caller: Request): Request {
  requireKnown(tool, given);
  const rest = new Map(Object.entries({ ...tool.defaults, ...given }));
  const path = tool.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    if (typeof value !== "string" || /^\.{0,2}$/.test(value)) {
      throw new TypeError(`${name} is missing or not an id.`);
    }
    return encodeURIComponent(value.toWellFormed());
  });
  const url = new URL(path, caller.url);
  const headers = new Headers();
  for (const name of PASSED_ON) {
    const value = caller.headers.get(name);
    if (value !== null) {
      headers.set(name, value);
    }
  }
  if (tool.bodyType !== null) {
    headers.set("content-type", tool.bodyType);
    return new Request(url, { method: tool.method, headers, body: JSON.stringify(Object.fromEntries(rest)) });
  }
  url.search = toQuery(rest);
  return new Request(url, { method: tool.method, headers });
}

function requireKnown({ name, inputSchema }: Tool, given: Arguments): void {
  const known = Object.keys(inputSchema.properties ?? {});
  const [first, ...others] = Object.keys(given).filter((argument) => !known.includes(argument));
  if (first !== undefined) {
    const more = others.length === 0 ? "" : ` (and ${others.length} others)`;
    throw new TypeError(
      `${name} has no argument ${JSON.stringify(first.slice(0, 50))}${more}: use ${known.join(", ")}.`,
    );
  }
}

/** Made apart from the URL, which would be written anew with each value. */
function toQuery(given: ReadonlyMap<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of given) {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (values.length > MAX_VALUES) {
      throw new TypeError(`${name} has ${values.length} values, more than ${MAX_VALUES}: give fewer.`);
    }
    for (const one of values) {
      query.append(name, typeof one === "string" ? one : JSON.stringify(one));
    }
  }
  const text = query.toString();
  if (text.length > MAX_QUERY_CHARACTERS) {
    throw new TypeError(
      `The arguments have ${text.length} characters, more than ${MAX_QUERY_CHARACTERS}: give fewer or shorter ones.`,
    );
  }
  return text;
}

/** Who calls, from where, and in which request: the API decides by the first two alone what a caller may do, and how often. */
const PASSED_ON = ["authorization", "cf-connecting-ip", "cf-ray"];

/** The body as it came; what is too long is refused, not cut: half an answer reads like a whole one. */
export async function toToolAnswer(response: Response): Promise<ToolAnswer> {
  const text = await response.text();
  return text.length > MAX_ANSWER_CHARACTERS
    ? {
        isError: true,
        text: `The answer has ${text.length} characters, more than ${MAX_ANSWER_CHARACTERS}: ask for less, with a smaller limit or fewer lists.`,
      }
    : { isError: !response.ok, text: text || JSON.stringify({ status: response.status }) };
}
