/** Finds pages, links, workspaces and actions by typing: Ctrl or ⌘ with K. */
import { Autocomplete } from "@base-ui/react/autocomplete";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { type RefObject, useLayoutEffect, useState } from "react";
import { cacheOf } from "../caches.ts";
import { formatUrl } from "../format.ts";
import { useDebounced } from "../links/use-debounced.ts";
import { setPreferences, THEMES } from "../preferences.ts";
import { useWorkspaces } from "../queries.ts";
import { type Choice, findChoices } from "../ui/find-choices.ts";
import { Modal } from "../ui/modal.tsx";
import { copy } from "../ui/copy.ts";
import { THEME_NAMES, shared } from "../words.ts";
import { t } from "./words.ts";

const SEARCH_DELAY_MS = 180;
const MOST_LINKS = 8;

/** `code` says what it is. */
type Command = Choice & { readonly run: () => void };

type CommandMenuProps = {
  readonly pages: readonly { readonly to: string; readonly label: string }[];
  readonly workspaceId: string | null;
  /** Has what was typed before this was loaded. */
  readonly typedAhead: RefObject<string>;
  readonly onShowKeys: () => void;
  /** `null` where there can be no new link. */
  readonly onNewLink: (() => void) | null;
  readonly onClose: () => void;
};

export function CommandMenu(props: CommandMenuProps) {
  const { pages, workspaceId, typedAhead, onShowKeys, onNewLink, onClose } = props;
  const router = useRouter();
  const workspaces = useWorkspaces();
  const [text, setText] = useState("");
  // Read when the menu has taken the place of the field: React may render it a third of a second before.
  useLayoutEffect(() => {
    setText(typedAhead.current);
    typedAhead.current = "";
  }, [typedAhead]);
  const settled = useDebounced(text.trim(), SEARCH_DELAY_MS);
  const cache = cacheOf(workspaceId ?? "");
  const links = useQuery(
    {
      queryKey: ["links", "found", settled],
      queryFn: ({ signal }) => cache.hopline.listLinks({ search: settled, limit: MOST_LINKS }, { signal }),
      enabled: settled !== "" && workspaceId !== null,
      placeholderData: keepPreviousData,
    },
    cache,
  );
  const go = (to: string, id = workspaceId ?? "") =>
    void router.navigate({ href: to.replace("$workspaceId", id) });
  const named = (code: string, label: string, run: () => void): Command => ({
    value: `${code} ${label}`,
    label,
    code,
    run,
  });
  const commands: readonly Command[] = [
    ...(onNewLink === null ? [] : [named(t.action, shared.newLink, onNewLink)]),
    ...pages.map(({ to, label }) => named(t.page, label, () => go(to))),
    named(t.page, t.accountAndSessions, () => go("/account")),
    ...workspaces.map(({ id, name }) => named(shared.workspace, name, () => go("/w/$workspaceId/links", id))),
    named(t.action, t.showKeyboardShortcuts, onShowKeys),
    ...THEMES.map((theme) =>
      named(t.action, t.themeOfTheme(THEME_NAMES[theme].toLowerCase()), () => setPreferences({ theme })),
    ),
    named(t.action, t.readApiDocumentation, () => location.assign("/api/docs")),
  ];
  const found: readonly Command[] = [
    ...commands.filter((command) => findChoices([command], text, "").length > 0),
    ...(settled === "" ? [] : (links.data?.data ?? [])).flatMap(({ id, shortUrl, title }) => [
      named(shared.link, title ?? formatUrl(shortUrl), () => go(`/w/$workspaceId/links/${id}`)),
      named(shared.analytics, title ?? formatUrl(shortUrl), () => go(`/w/$workspaceId/analytics?link=${id}`)),
      named(shared.copy, formatUrl(shortUrl), () => void copy(shortUrl)),
    ]),
  ];
  return (
    <Modal title={t.findAnything} onClose={onClose}>
      <Autocomplete.Root
        open
        inline
        mode="none"
        items={found}
        itemToStringValue={({ label }) => label}
        autoHighlight="always"
        keepHighlight
        value={text}
        onValueChange={(next, { reason }) => reason !== "item-press" && setText(next)}
      >
        <Autocomplete.Input
          className="input"
          aria-label={t.pagesLinksAndActions}
          placeholder={t.typeNamePageLinkOrAction}
          autoFocus
        />
        <Autocomplete.Empty>
          <div className="soft small no-choice">{t.noMatch}</div>
        </Autocomplete.Empty>
        <Autocomplete.List className="commands">
          {(command: Command) => (
            <Autocomplete.Item
              key={`${command.value} ${command.label}`}
              value={command}
              className="menu-item"
              onClick={() => {
                onClose();
                command.run();
              }}
            >
              <span className="cut">{command.label}</span>
              <span className="soft small spread">{command.code}</span>
            </Autocomplete.Item>
          )}
        </Autocomplete.List>
      </Autocomplete.Root>
    </Modal>
  );
}
