/** Links by their addresses, found during typing. */
import { useQueries, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { formatUrl } from "../format.ts";
import { ask } from "../queries.ts";
import { TokensField } from "../ui/tokens-field.tsx";
import { t } from "./words.ts";
import { linkQuery } from "./link-cache.ts";
import { useDebounced } from "./use-debounced.ts";

const SEARCH_DELAY_MS = 180;

type LinksFieldProps = {
  readonly label: string;
  readonly path?: string;
  readonly hint?: string;
  /** Their ids. */
  readonly links: readonly string[];
  readonly onChange: (links: readonly string[]) => void;
};

export function LinksField({ links, ...props }: LinksFieldProps) {
  const [text, setText] = useState("");
  const search = useDebounced(text, SEARCH_DELAY_MS);
  const found = useQuery({
    ...ask(["links", "named", search], (own, options) => own.listLinks({ search, limit: 10 }, options)),
    enabled: search !== "",
  });
  const chosen = useQueries({ queries: links.map((id) => ({ ...linkQuery(id), staleTime: 60_000 })) });
  const nameOf = (id: string) => {
    const link = chosen[links.indexOf(id)]?.data?.link;
    return link === undefined ? id : formatUrl(link.shortUrl);
  };
  return (
    <TokensField
      {...props}
      tokens={links}
      nameOf={nameOf}
      onType={setText}
      choices={(found.data?.data ?? []).map(({ id, shortUrl }) => ({
        value: id,
        label: formatUrl(shortUrl),
      }))}
      placeholder={t.slugDestinationOrTitle}
    />
  );
}
