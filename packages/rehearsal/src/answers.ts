/** The envelope of every answer of the API, and what requests bring. */
import type { Context } from "hono";

import { isJsonObject, type JsonObject } from "@hopline/ops/deploy/json-object";
import type { Refusal } from "./refusals.ts";

export function ok(c: Context, result: unknown): Response {
  return c.json({ success: true, errors: [], messages: [], result });
}

export function refuse({ status, code, message }: Refusal): Response {
  const body = { success: false, errors: [{ code, message }], messages: [], result: null };
  // The SDK and wrangler wait as long as they are told; a rehearsal does not.
  return Response.json(body, { status, headers: { "retry-after-ms": "1", "retry-after": "0" } });
}

/** A page as the API cuts it, and where it ends. */
export function page<T>(c: Context, all: readonly T[], defaultSize: number): Response {
  const number = Number(c.req.query("page") ?? 1);
  const size = Number(c.req.query("per_page") ?? defaultSize);
  const result = all.slice((number - 1) * size, number * size);
  const total_pages = Math.ceil(all.length / size);
  const result_info = {
    page: number,
    per_page: size,
    count: result.length,
    total_count: all.length,
    total_pages,
  };
  return c.json({ success: true, errors: [], messages: [], result, result_info });
}

/** The JSON object of a request; empty where it brings something else. */
export async function readObject(c: Context): Promise<JsonObject> {
  const body: unknown = await c.req.json();
  return isJsonObject(body) ? body : {};
}

/** The list of objects that is the JSON of a request. */
export async function readObjects(c: Context): Promise<readonly JsonObject[]> {
  const body: unknown = await c.req.json();
  return Array.isArray(body) ? body.filter(isJsonObject) : [];
}
