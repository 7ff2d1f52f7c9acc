/** Changes of some links at once, with the way back. */
import type { Link } from "@hopline/client/openapi";
import { countOf } from "../format.ts";
import { say } from "../ui/toasts.ts";
import { useSending } from "../use-sending.ts";
import { type Change, changeLinks, toUndo } from "./change-links.ts";
import { patchLinks, readListsAgain } from "./link-cache.ts";
import { t } from "./words.ts";

type Step = {
  readonly links: readonly Link[];
  /** What was done to the links, as in `2 links archived.`; `null` for taking that back. */
  readonly what: string | null;
  readonly toChange: (link: Link) => Change;
};

export function useChangingLinks(onDone?: () => void): (step: Step) => void {
  const changing = useSending({
    send: (hopline, { links, toChange }: Step) => changeLinks(hopline, links, toChange),
    onSent: ({ changed, overtaken, refusals }, { links, what, toChange }, cache) => {
      void (what === null ? readListsAgain(cache) : patchLinks(cache, changed));
      const before = new Map(links.map((link) => [link.id, link]));
      const back = (link: Link) => {
        const former = before.get(link.id) ?? link;
        return toUndo(former, toChange(former));
      };
      const done = what === null ? t.undone : `${countOf(changed.length, "link")} ${what}.`;
      const skipped = overtaken === 0 ? refusals : [t.hadBeenChangedBySomeone(overtaken), ...refusals];
      say(
        [done, ...skipped].join(" "),
        what === null || changed.length === 0
          ? undefined
          : () => changing.mutate({ links: changed, what: null, toChange: back }),
      );
      onDone?.();
    },
    isBare: true,
  });
  return changing.mutate;
}
