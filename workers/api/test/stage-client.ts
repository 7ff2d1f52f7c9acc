/** The client of packages/client over the stage's application, without retries. */
import { type HoplineClient, createClient } from "@hopline/client/client";
import { HoplineError } from "@hopline/client/hopline-error";
import type { Call } from "@hopline/client/call";
import type { Stage } from "./stage.ts";

export function clientOf({ app }: Pick<Stage, "app">, key: string): HoplineClient {
  const fetch = async (request: Request) => app.request(request);
  return createClient({ baseUrl: "https://go.example.com", key, fetch, maxRetries: 0 });
}

/** The status of an answer, whichever it is. */
export async function statusOf(call: Call<unknown>): Promise<number> {
  try {
    return (await call.withResponse()).response.status;
  } catch (error) {
    if (error instanceof HoplineError) {
      return error.status;
    }
    throw error;
  }
}
