/** The typed client for tests: over the stage's application, with answers checked for the expected status. */
import type { ClientResponse } from "hono/client";
import { expect } from "vitest";
import { type ApiClient, createApiClient } from "../src/client.ts";
import type { Stage } from "./stage.ts";

export function clientOf(stage: Pick<Stage, "app">, key: string): ApiClient["api"]["v1"] {
  const fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> =>
    stage.app.request(new Request(input, init));
  return createApiClient({ baseUrl: "https://go.example.com", key, fetch }).api.v1;
}

type AnyResponse = ClientResponse<unknown, number, string>;

/** The documented JSON body of a status. */
export type BodyOf<Answer, Status extends number> =
  Extract<Answer, { readonly status: Status }> extends ClientResponse<infer Body, number, "json">
    ? Body
    : null;

/**
 * The body of an answer, which must have this status; a failed expectation shows what came instead. 204 has no body, and is
 * missing from hono's types.
 */
export async function answered<Answer extends AnyResponse, const Status extends Answer["status"] | 204>(
  call: Promise<Answer>,
  status: Status,
): Promise<BodyOf<Answer, Status>> {
  const response = await call;
  const text = await response.text();
  const body: unknown = text === "" ? null : JSON.parse(text);
  expect({ status: response.status, body }).toMatchObject({ status });
  return body as BodyOf<Answer, Status>;
}

/** Status, headers and body, for tests in which several statuses may come. */
export async function outcomeOf<Answer extends AnyResponse>(call: Promise<Answer>) {
  const response = await call;
  const text = await response.text();
  const body: unknown = text === "" ? null : JSON.parse(text);
  return {
    status: response.status,
    headers: response.headers,
    body: body as Awaited<ReturnType<Answer["json"]>>,
  };
}
