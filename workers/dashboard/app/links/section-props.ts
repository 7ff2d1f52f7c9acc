/** What each part of a link's form takes, of a new link and of one that is there. */
import type { Link } from "@hopline/client/openapi";
import type { Draft } from "./link-draft.ts";

export type SectionProps = {
  readonly draft: Draft;
  readonly set: (change: Partial<Draft>) => void;
  /** As it is stored; `null` for a new one. */
  readonly link: Link | null;
};
