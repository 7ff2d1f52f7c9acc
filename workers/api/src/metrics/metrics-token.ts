/** Who may read the metrics: whoever has METRICS_TOKEN. They are of the deployment, and an API key is of a workspace. */
import { readBearerToken } from "../http/api-key.ts";

/**
 * Compares hashes, all of their bytes, so that the time it takes says nothing about how close a guess was.
 *
 * @param metricsToken METRICS_TOKEN: one token, or during a rotation two with a comma between them. Empty: nobody.
 */
export async function isMetricsToken(
  authorization: string | undefined,
  metricsToken: string,
): Promise<boolean> {
  const given = await hash(readBearerToken(authorization) ?? "");
  const tokens = metricsToken.split(",").map((token) => token.trim());
  const wanted = await Promise.all(tokens.filter((token) => token !== "").map(hash));
  return wanted.map((one) => isSame(given, one)).includes(true);
}

function isSame(given: Uint8Array, wanted: Uint8Array): boolean {
  return given.reduce((difference, byte, index) => difference | (byte ^ (wanted[index] ?? 0)), 0) === 0;
}

async function hash(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
