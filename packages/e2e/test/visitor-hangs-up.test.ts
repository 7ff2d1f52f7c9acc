/**
 * Visitors who hang up: the platform then ends their request, and with it the flush of the click buffer if it was
 * theirs. Real sockets against the production bundles, because only the runtime itself ends requests.
 */
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type LocalStack, openLocalStack } from "./local-stack.ts";

let stack: LocalStack;

beforeAll(async () => {
  stack = await openLocalStack();
});

afterAll(() => stack.close());

it("counts a visitor who hangs up with the first byte of the answer", async () => {
  const before = await countClicks();
  await hangUpAfterFirstByte();
  await expectClicks(before + 1);
});

it("counts each of a hundred such visitors once, and those who come after them", async () => {
  const before = await countClicks();
  await Promise.all(Array.from({ length: 100 }, hangUpAfterFirstByte));
  await fetch(`${stack.url}/${stack.demo.slug}`, { redirect: "manual" });
  await expectClicks(before + 101);
});

it("goes on counting after visitors who hang up before they have an answer", async () => {
  const before = await countClicks();
  let lookUps = 0;
  stack.sqlEndpoint.setFault(() => {
    lookUps += 1;
    return { kind: "hang" };
  });
  const visitors = await Promise.all(
    Array.from({ length: 20 }, (_, index) => send(`/not-known-yet-${index}`)),
  );
  await vi.waitFor(() => expect(lookUps).toBeGreaterThan(0), { timeout: 5_000 });
  for (const visitor of visitors) {
    visitor.destroy();
  }
  stack.sqlEndpoint.setFault(null);
  const response = await fetch(`${stack.url}/${stack.demo.slug}`, { redirect: "manual" });
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

async function countClicks(): Promise<number> {
  const result = await stack.database.query<{ count: string }>("SELECT count(*) AS count FROM click_events");
  return Number(result.rows[0]?.count);
}

/** Waits for that many, then until nothing is under way any more: there must not be more of them either. */
async function expectClicks(count: number): Promise<void> {
  await vi.waitFor(async () => expect(await countClicks()).toBe(count), { timeout: 10_000, interval: 50 });
  expect(await stack.runtime.drain(10_000)).toBe(0);
  expect(await countClicks()).toBe(count);
}
