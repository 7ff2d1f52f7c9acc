/**
 * Finds a TCP port of 127.0.0.1 that no process listens on.
 *
 * Picked below 32768, where Linux starts handing out ports for outgoing connections (macOS: 49152), so that a server
 * that is stopped and started again on its port does not find it in use by a client's socket.
 */
import { createServer } from "node:net";

import { Failure } from "../console/failure.ts";

const LOWEST_PORT = 15_000;
const HIGHEST_PORT = 32_000;
const ATTEMPTS = 50;

/** A port that was free a moment ago. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = LOWEST_PORT + Math.floor(Math.random() * (HIGHEST_PORT - LOWEST_PORT));
    if (await isPortFree(port)) {
      return port;
    }
  }
  throw new Failure(`No free port found between ${LOWEST_PORT} and ${HIGHEST_PORT} on 127.0.0.1.`);
}

/** True when this process can listen on the port of 127.0.0.1 right now. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen({ port, host: "127.0.0.1", exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
