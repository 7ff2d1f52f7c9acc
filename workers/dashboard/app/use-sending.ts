/** A change that is sent to the API: afterwards what it makes old is read again, and it may be said that it was made. */
import type { HoplineClient } from "@hopline/client/client";
import { type QueryClient, useMutation } from "@tanstack/react-query";
import { hoplineOf } from "./caches.ts";
import { say, sayError } from "./ui/toasts.ts";

export type Change<Given, Answer> = {
  readonly send: (hopline: HoplineClient, given: Given) => Promise<Answer>;
  /** By their names in the cache. */
  readonly rereads?: readonly string[];
  readonly said?: string | ((answer: Answer) => string);
  readonly onSent?: (answer: Answer, given: Given, cache: QueryClient) => unknown;
  /** Neither a form nor a dialog shows what went wrong: a message does. */
  readonly isBare?: boolean;
};

export function useSending<Answer, Given = void>(props: Change<Given, Answer>) {
  const { send, rereads = [], said, onSent, isBare = false } = props;
  return useMutation({
    mutationFn: (given: Given, { client }) => send(hoplineOf(client), given),
    onSuccess: async (answer, given, _prepared, { client }) => {
      await onSent?.(answer, given, client);
      if (said !== undefined) {
        say(typeof said === "string" ? said : said(answer));
      }
      await Promise.all(rereads.map((name) => client.invalidateQueries({ queryKey: [name] })));
    },
    ...(isBare ? { onError: sayError } : {}),
  });
}
