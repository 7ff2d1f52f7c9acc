/** Made-up keys through both Workers: the API sees whose network sends them, and Cloudflare's binding counts. */
import { expect, it } from "vitest";
import { stack } from "./visitor-stack.ts";

const SENT = 60;

it("is asked to wait after too many made-up keys, while a key that works goes on working", async () => {
  const ask = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` };
    return (await fetch(`${stack.url}/api/v1/domains`, { headers })).status;
  };
  const statuses: number[] = [];
  for (let sent = 0; sent < SENT; sent += 1) {
    statuses.push(await ask(`hop_${String(sent).padStart(32, "x")}`));
  }
  // One period of the binding may end in between, so 20 or 40 of them count, and the one that was told too many.
  const refused = statuses.filter((status) => status === 429).length;
  expect([new Set(statuses), refused >= SENT - 42]).toEqual([new Set([401, 429]), true]);
  expect(await ask(stack.demo.apiKey)).toBe(200);
});
