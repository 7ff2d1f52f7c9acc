/** Bindings that only the tests have (vitest.config.ts). */
declare namespace Cloudflare {
  interface Env {
    /** Answers with the bodies of all messages that the queues have delivered, as JSON. */
    readonly QUEUE_READER: Fetcher;
  }
}
