/** Who may read the metrics: whoever has METRICS_TOKEN. They are of the deployment, and an API key is of a workspace. */
import { readBearerToken } from "../http/api-key.ts";

/** Compares hashes, all of their bytes: what it takes says nothing about how close a guess was. */
export async function isMetricsToken(
  authorization: string | undefined,
  metricsToken: string,
): Promise<boolean> {
  const [given, wanted] = await Promise.all([readBearerToken(authorization) ?? "", metricsToken].map(hash));
  if (given === undefined || wanted === undefined || metricsToken === "") {
    return false;
  }
  return given.reduce((difference, byte, index) => difference | (byte ^ (wanted[index] ?? 0)), 0) === 0;
}

async function hash(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
