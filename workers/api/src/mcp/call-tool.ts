/** A tool's call as a request to the API, and the API's answer as the tool's. Pure but for reading the answer. */
import type { Arguments, Tool } from "./tools.ts";

/** Some 15,000 tokens: what is longer would push everything else out of a model's memory. */
export const MAX_ANSWER_CHARACTERS = 60_000;

export type ToolAnswer = { readonly text: string; readonly isError: boolean };

/** Throws `TypeError` for a path parameter that would lead to another path. */
export function toToolRequest(tool: Tool, given: Arguments, caller: Request): Request {
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
  for (const [name, value] of rest) {
    for (const one of Array.isArray(value) ? value : [value]) {
      url.searchParams.append(name, typeof one === "string" ? one : JSON.stringify(one));
    }
  }
  return new Request(url, { method: tool.method, headers });
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
    : { isError: !response.ok, text };
}
