/**
 * The platform around the producer, in the same workerd: KV, queues, the database's /sql, the Cache API, the change feed
 * and whatever service the producer is bound to. Each answers at once; only the clicks it was sent are kept.
 *
 * Protocols: workerd src/workerd/api/kv.c++ (GET and PUT /<key>), queue.c++ (POST /message, POST /batch), cache.c++.
 * KV knows a key by its slug: the RECORDS binding is a list of {slugPrefix, text}, and other keys do not exist.
 */
const QUEUE_ACCEPTED = JSON.stringify({
  metadata: { metrics: { backlogCount: 0, backlogBytes: 0, oldestMessageTimestamp: 0 } },
});
const NO_ROWS = JSON.stringify({ command: "SELECT", rowCount: 0, rowAsArray: true, rows: [], fields: [] });

const counts = { lookUps: 0, queueMessages: 0 };
/** @type {ArrayBuffer[]} */
let messages = [];

export const kv = {
  async fetch(request, env) {
    if (request.method === "PUT") {
      await request.arrayBuffer();
      return new Response(null);
    }
    counts.lookUps += 1;
    // The slug follows a slash, which is %2F inside of a key, or begins the key.
    const found = env.RECORDS.find(
      ({ slugPrefix }) => request.url.includes(`%2F${slugPrefix}`) || request.url.includes(`/${slugPrefix}`),
    );
    return found === undefined ? new Response(null, { status: 404 }) : new Response(found.text);
  },
};

export const queue = {
  async fetch(request) {
    counts.queueMessages += 1;
    messages.push(await request.arrayBuffer());
    return new Response(QUEUE_ACCEPTED);
  },
};

export const sql = {
  async fetch(request) {
    counts.lookUps += 1;
    await request.arrayBuffer();
    return new Response(NO_ROWS, { headers: { "content-type": "application/json" } });
  },
};

/** Holds nothing: a look-up is a miss (504 to `only-if-cached`), and what is stored is forgotten. */
export const cache = {
  async fetch(request) {
    await request.arrayBuffer();
    return new Response(null, {
      status: request.method === "PUT" ? 204 : 504,
      headers: { "cf-cache-status": "MISS" },
    });
  },
};

export const service = {
  fetch() {
    return new Response(null, { status: 503 });
  },
};

/** The change feed's object, without changes. */
export class QuietFeed {
  constructor(_state, env) {
    this.feed = env.FEED;
  }

  fetch() {
    const { page, tag, madeAtHeader } = this.feed;
    return new Response(page, { headers: { etag: tag, [madeAtHeader]: String(Date.now()) } });
  }
}

/** For the bench: `GET /counts`, and `GET /messages`, which takes what the queues hold. */
export const control = {
  fetch(request) {
    if (request.url.endsWith("/counts")) {
      return Response.json(counts);
    }
    const decoder = new TextDecoder();
    const texts = messages.map((bytes) => decoder.decode(bytes));
    messages = [];
    return Response.json(texts);
  },
};
