/** The live stream and the metrics, from a visitor's click to a client's screen, through the production bundles. */
import type { EventSourceMessage } from "eventsource-parser";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { expect, it, vi } from "vitest";
import { createLink, POLL, stack, visit } from "./visitor-stack.ts";

type Seen = { readonly id: string; readonly link: string };

/** A stream as a client reads it; every event so far. */
async function listen(lastEventId: string | null = null) {
  const ending = new AbortController();
  const headers = lastEventId === null ? {} : { "last-event-id": lastEventId };
  const response = await stack.hopline.streamLiveClicks(
    { class: ["all"] },
    { headers, signal: ending.signal },
  );
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  const events: EventSourceMessage[] = [];
  const reading = read(response, events);
  return {
    names: () => events.map(({ event }) => event),
    clicks: (): readonly Seen[] =>
      events.filter(({ event }) => event === "click").map(({ data }) => JSON.parse(data)),
    lastEventId: () => events.findLast(({ id }) => id !== undefined)?.id ?? "",
    async hangUp(): Promise<void> {
      ending.abort();
      await reading;
    },
  };
}

/** Resolves when the stream has ended or was hung up. */
async function read({ body }: Response, events: EventSourceMessage[]): Promise<void> {
  const parsed = body?.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()) ?? [];
  try {
    for await (const event of parsed) {
      events.push(event);
    }
  } catch (error) {
    expect(error).toMatchObject({ name: "AbortError" });
  }
}

async function click(slug: string, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const response = await visit(slug);
    expect(response.status).toBe(302);
  }
}

it("shows each click once, across a connection that breaks and clicks that come meanwhile", async () => {
  const link = await createLink();
  expect(await stack.runtime.drain(30_000)).toBe(0);
  const first = await listen();
  await vi.waitFor(() => expect(first.names()).toEqual(["ready"]), POLL);
  await click(link.slug, 3);
  await vi.waitFor(() => expect(first.clicks()).toHaveLength(3), POLL);
  await first.hangUp();
  await click(link.slug, 4);
  expect(await stack.runtime.drain(30_000)).toBe(0);
  const second = await listen(first.lastEventId());
  await vi.waitFor(() => expect(second.clicks()).toHaveLength(4), POLL);
  await click(link.slug, 2);
  await vi.waitFor(() => expect(second.clicks()).toHaveLength(6), POLL);
  await second.hangUp();

  const seen = [...first.clicks(), ...second.clicks()];
  const { data } = await stack.hopline.listClicks({ class: ["all"], link: [link.id] });
  expect(new Set(seen.map((one) => one.link))).toEqual(new Set([link.id]));
  expect(seen.map((one) => one.id).toSorted()).toEqual(data.map((one) => one.id).toSorted());
  expect(data).toHaveLength(9);

  // The streams that hung up gave back their places, long before their minute is over.
  const places = () => stack.database.query("SELECT 1 FROM live_streams");
  await vi.waitFor(async () => expect((await places()).rowCount).toBe(0), POLL);
});

async function scrape(): Promise<string> {
  const { METRICS_TOKEN } = await stack.runtime.getBindings<{ readonly METRICS_TOKEN: string }>(
    "hopline-api",
  );
  const response = await fetch(`${stack.url}/api/metrics`, {
    headers: { authorization: `Bearer ${METRICS_TOKEN}` },
  });
  expect(response.status).toBe(200);
  return response.text();
}

/** The sum of a family's samples whose labels hold these words. */
function sumOf(text: string, family: string, ...words: readonly string[]): number {
  return text
    .split("\n")
    .filter((line) => line.startsWith(`${family}{`) && words.every((word) => line.includes(word)))
    .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

it("counts in the metrics what the edge answered, with clicks and without", async () => {
  const link = await createLink();
  await stack.runtime.drain(30_000);
  const before = await scrape();
  await click(link.slug, 5);
  const missing = await visit("nobody-made-this");
  expect(missing.status).toBe(404);
  // A report goes at most every two seconds: the next click takes the counts along, and those of tests before.
  await vi.waitFor(
    async () => {
      await click(link.slug, 1);
      const after = await scrape();
      const grown = (family: string, ...words: readonly string[]) =>
        sumOf(after, family, ...words) - sumOf(before, family, ...words);
      expect(grown("hopline_answers_total", 'outcome="redirect"')).toBeGreaterThanOrEqual(5);
      expect(grown("hopline_answers_total", 'outcome="not_found"')).toBeGreaterThanOrEqual(1);
      expect(grown("redirect_duration_seconds_count", 'cache_tier="isolate"')).toBeGreaterThanOrEqual(4);
      expect(grown("hopline_clicks_total")).toBeGreaterThanOrEqual(5);
    },
    { ...POLL, interval: 500 },
  );
});
