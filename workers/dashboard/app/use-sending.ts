/** A change that is sent to the API: afterwards what it makes old is read again, and it may be said that it was made. */
import type { HoplineClient } from "@hopline/client/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useHopline } from "./caches.ts";
import { say, sayError } from "./ui/toasts.ts";

export type Change<Given, Answer> = {
  readonly send: (hopline: HoplineClient, given: Given) => Promise<Answer>;
  /** By their names in the cache. */
  readonly rereads?: readonly string[];
  readonly said?: string | ((answer: Answer) => string);
  readonly onSent?: (answer: Answer, given: Given) => unknown;
  /** Neither a form nor a dialog shows what went wrong: a message does. */
  readonly isBare?: boolean;
};

export function useSending<Answer, Given = void>(props: Change<Given, Answer>) {
  const { send, rereads = [], said, onSent, isBare = false } = props;
  const hopline = useHopline();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (given: Given) => send(hopline, given),
    onSuccess: async (answer, given) => {
      await onSent?.(answer, given);
      if (said !== undefined) {
        say(typeof said === "string" ? said : said(answer));
      }
      await Promise.all(rereads.map((name) => queryClient.invalidateQueries({ queryKey: [name] })));
    },
    ...(isBare ? { onError: sayError } : {}),
  });
}
