/**
 * Reads a request body up to a limit.
 *
 * What goes beyond the limit is read and dropped (up to a further bound), because a client that is still sending does
 * not see an answer: it sees a broken connection.
 */
import type { IncomingMessage } from "node:http";

/** Beyond this multiple of the limit the connection is cut instead. */
const DRAIN_FACTOR = 4;

/** The body as text, or null where it is larger than `maxBytes`. Rejects when the client goes away. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    request.on("data", (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes <= maxBytes) {
        chunks.push(chunk);
      } else {
        chunks.length = 0;
        if (sizeBytes > maxBytes * DRAIN_FACTOR) {
          request.destroy();
        }
      }
    });
    request.once("end", () => {
      const [first] = chunks;
      const whole = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
      resolve(sizeBytes > maxBytes ? null : whole.toString("utf8"));
    });
    request.once("error", reject);
    request.once("close", () => reject(new Error("the client went away")));
  });
}
