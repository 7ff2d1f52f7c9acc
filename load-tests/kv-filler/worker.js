/** Writes the records of its request to KV: `[[key, text, version], …]`. */
const WRITES_AT_ONCE = 64;

export default {
  async fetch(request, { LINKS }) {
    const queue = (await request.json()).values();
    const writtenAtMs = Date.now();
    const work = async () => {
      for (const [key, text, version] of queue) {
        await LINKS.put(key, text, { metadata: { version, writtenAtMs } });
      }
    };
    await Promise.all(Array.from({ length: WRITES_AT_ONCE }, work));
    return new Response(null, { status: 204 });
  },
};
