/** From a visitor's click, and from an edit, to a receiver on this machine, through the production bundles and their queues. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, vi } from "vitest";
import { createLink, POLL, stack, visit } from "./visitor-stack.ts";

type Told = {
  readonly type: string;
  readonly data: { readonly clicks?: readonly { readonly link: string }[] };
};

it("tells a receiver of a new link and of each of its clicks, once", async () => {
  const told: Told[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) {
        chunks.push(chunk as Buffer);
      }
      told.push(JSON.parse(Buffer.concat(chunks).toString()) as Told);
      response.writeHead(204).end();
    })();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const webhook = await stack.hopline.createWebhook({
    body: { url, events: ["click", "link.created"], filter: { classes: ["human", "bot"] } },
  });
  const link = await createLink();
  await vi.waitFor(() => expect(told.map(({ type }) => type)).toContain("link.created"), POLL);
  for (let clicks = 0; clicks < 5; clicks += 1) {
    expect((await visit(link.slug)).status).toBe(302);
  }
  const clicked = () =>
    told.flatMap(({ data }) => data.clicks ?? []).filter((click) => click.link === link.id);
  await vi.waitFor(() => expect(clicked()).toHaveLength(5), POLL);
  // Written down after the receiver has answered.
  await vi.waitFor(async () => {
    const { clicks } = await stack.hopline.readWebhookStats({ webhookId: webhook.id });
    expect([clicks.delivered, clicks.waiting + clicks.givenUp]).toEqual([clicks.matched, 0]);
  }, POLL);
  await stack.hopline.deleteWebhook({ webhookId: webhook.id });
  server.close();
});
