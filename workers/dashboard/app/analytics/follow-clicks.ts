/** Clicks as they come. */
import type { CallOptions } from "@hopline/client/client";
import type { Click } from "@hopline/client/openapi";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { explain, isSignedOut } from "../api.ts";
import { heed } from "../caches.ts";

const RETRY_MS = 3_000;

type Listener = {
  readonly onOpen: () => void;
  readonly onClick: (click: Click) => void;
  readonly onFault: (text: string) => void;
};

/** A connection lasts a minute; the next one continues after the last event, so that no click is missed and none comes twice. */
export async function followClicks(
  open: (options: CallOptions) => PromiseLike<Response>,
  signal: AbortSignal,
  { onOpen, onClick, onFault }: Listener,
): Promise<void> {
  let lastId = "";
  while (!signal.aborted) {
    try {
      const headers = lastId === "" ? {} : { headers: { "last-event-id": lastId } };
      const { body } = await open({ signal, ...headers });
      onOpen();
      const events = body?.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
      for await (const { event, id, data } of events ?? []) {
        lastId = id ?? lastId;
        if (event === "click") {
          onClick(JSON.parse(data) as Click);
        }
      }
    } catch (error) {
      heed(error);
      if (signal.aborted || isSignedOut(error)) {
        return;
      }
      onFault(explain(error).text);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
