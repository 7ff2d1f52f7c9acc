/**
 * The platform beside the producer, in the same workerd: KV, queues, the database's /sql, the Cache API, the change feed
 * and whatever service the producer is bound to. Each answers at once and counts; none keeps more than the clicks it was sent.
 *
 * Protocols: workerd src/workerd/api/kv.c++ (GET and PUT /<key>), queue.c++ (POST /message, POST /batch), cache.c++.
 * KV knows a key by its slug: the RECORDS binding is a list of {slugPrefix, text}, and other keys do not exist.
 */
const QUEUE_ACCEPTED = JSON.stringify({
  metadata: { metrics: { backlogCount: 0, backlogBytes: 0, oldestMessageTimestamp: 0 } },
});
const NO_ROWS = JSON.stringify({ command: "SELECT", rowCount: 0, rowAsArray: true, rows: [], fields: [] });

const counts = {
  kvReads: 0,
  kvWrites: 0,
  queueMessages: 0,
  sqlQueries: 0,
  cacheCalls: 0,
  serviceCalls: 0,
  feedReads: 0,
};
/** @type {ArrayBuffer[]} */
let messages = [];

export const kv = {
  async fetch(request, env) {
    if (request.method === "PUT") {
      counts.kvWrites += 1;
      await request.arrayBuffer();
      return new Response(null);
    }
    counts.kvReads += 1;
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
    counts.sqlQueries += 1;
    await request.arrayBuffer();
    return new Response(NO_ROWS, { headers: { "content-type": "application/json" } });
  },
};

/** Holds nothing: a look-up is a miss (504 to `only-if-cached`), and what is stored is forgotten. */
export const cache = {
  async fetch(request) {
    counts.cacheCalls += 1;
    await request.arrayBuffer();
    return new Response(null, {
      status: request.method === "PUT" ? 204 : 504,
      headers: { "cf-cache-status": "MISS" },
    });
  },
};

export const service = {
  fetch() {
    counts.serviceCalls += 1;
    return new Response(null, { status: 503 });
  },
};

/** The change feed's object, to which nothing ever happens. */
export class QuietFeed {
  constructor(_state, env) {
    this.feed = env.FEED;
  }

  fetch() {
    counts.feedReads += 1;
    const { page, tag, madeAtHeader } = this.feed;
    return new Response(page, { headers: { etag: tag, [madeAtHeader]: String(Date.now()) } });
  }
}

/** For the bench: `GET /counts`, and `GET /messages`, which hands over what the queues hold and empties them. */
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
