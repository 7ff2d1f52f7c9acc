/** What defaults will fill of a link that is being made, and what is left out of that. */
import type { Domain } from "@hopline/client/openapi";
import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { foldersQuery, useWorkspace } from "../queries.ts";
import { offersFor } from "./link-defaults.ts";
import type { Draft } from "./link-draft.ts";
import { t } from "./editor-words.ts";

type FilledChipsProps = {
  readonly draft: Draft;
  readonly domain: Domain | undefined;
  readonly without: readonly string[];
  readonly onLeaveOut: (field: string) => void;
};

export function FilledChips({ draft, domain, without, onLeaveOut }: FilledChipsProps) {
  const workspace = useWorkspace();
  const { data: folders = [] } = useQuery(foldersQuery);
  const folder = folders.find(({ id }) => id === draft.folder);
  const offers = offersFor(draft, { workspace, domain, folder }).filter(
    ({ field }) => !without.includes(field),
  );
  return offers.length === 0 ? null : (
    <ul className="row wrap" aria-label={t.filledByDefaults}>
      {offers.map(({ field, text, isFixed }) => (
        <li key={field} className="chip">
          <span className="cut">{text}</span>
          {!isFixed && (
            <button type="button" aria-label={t.leaveOut(text)} onClick={() => onLeaveOut(field)}>
              <X size={13} aria-hidden />
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
