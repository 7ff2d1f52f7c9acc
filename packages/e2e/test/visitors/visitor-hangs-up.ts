/**
 * Visitors who hang up: the platform then ends their request, and with it the flush of the click buffer if it was
 * theirs. Real sockets against the production bundles, because only the runtime itself ends requests.
 */
import { once } from "node:events";
import { connect } from "node:net";
import { expect, it, vi } from "vitest";
import { POLL, stack, visit } from "./visitor-stack.ts";

it("counts a visitor who hangs up with the first byte of the answer", async () => {
  const before = await countSettledClicks();
  await hangUpAfterFirstByte();
  await expectClicks(before + 1);
});

it("counts each of a hundred such visitors once, and those who come after them", async () => {
  const before = await countSettledClicks();
  await Promise.all(Array.from({ length: 100 }, hangUpAfterFirstByte));
  await visit(stack.demo.slug);
  await expectClicks(before + 101);
});

it("goes on counting after visitors who hang up before they have an answer", async () => {
  const before = await countSettledClicks();
  let lookUps = 0;
  stack.sqlEndpoint.setFault(() => {
    lookUps += 1;
    return { kind: "hang" };
  });
  const visitors = await Promise.all(
    Array.from({ length: 20 }, (_, index) => send(`/not-known-yet-${index}`)),
  );
  await vi.waitFor(() => expect(lookUps).toBeGreaterThan(0), POLL);
  for (const visitor of visitors) {
    visitor.destroy();
  }
  stack.sqlEndpoint.setFault(null);
  const response = await visit(stack.demo.slug);
  expect(response.status).toBe(302);
  await expectClicks(before + 1);
});

async function hangUpAfterFirstByte(): Promise<void> {
  const socket = await send(`/${stack.demo.slug}`);
  const [chunk] = await once(socket, "data");
  expect(String(chunk)).toMatch(/^HTTP\/1.1 302/);
  socket.destroy();
}

/** Resolves when the request has left. */
async function send(path: string) {
  const { hostname, port } = new URL(stack.url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  await new Promise<void>((resolve) => {
    socket.write(`GET ${path} HTTP/1.1\r\nhost: ${stack.demo.host}\r\n\r\n`, () => resolve());
  });
  return socket;
}

/** When no click of another test is on its way any more. */
async function countSettledClicks(): Promise<number> {
  expect(await stack.runtime.drain(30_000)).toBe(0);
  return countClicks();
}

async function countClicks(): Promise<number> {
  const result = await stack.database.query<{ count: string }>("SELECT count(*) AS count FROM click_events");
  return Number(result.rows[0]?.count);
}

/** Waits for that many, then until nothing is under way any more: there must not be more of them either. */
async function expectClicks(count: number): Promise<void> {
  await vi.waitFor(async () => expect(await countClicks()).toBe(count), POLL);
  expect(await countSettledClicks()).toBe(count);
}

/** Here, after all that was done on this stack. */
it("never prints a secret, an address or a user agent", () => {
  expect(stack.logLines.join("\n")).not.toMatch(/secret-of-the-test|203\.0\.113|Firefox|hop_[A-Za-z0-9]/);
});
