/**
 * How far a change has come on its way to the edge, as cache-status knows it and no further: what is announced, by when it is
 * expected where, and on what that rests.
 */
import { useQuery } from "@tanstack/react-query";
import { Radio } from "lucide-react";
import { ask } from "../queries.ts";
import { formatTime } from "../format.ts";
import { hinted } from "../ui/controls.tsx";
import { describeSpread } from "./describe-spread.ts";

const UNTIL_ANNOUNCED_MS = 400;
const UNTIL_SETTLED_MS = 15_000;

type SpreadLineProps = { readonly linkId: string; readonly version: number; readonly savedAt: string };

export function SpreadLine({ linkId, version, savedAt }: SpreadLineProps) {
  const status = useQuery({
    ...ask(["spread", linkId, version], (own, options) => own.readCacheStatus({ linkId }, options)),
    refetchInterval: ({ state: { data } }) =>
      data?.state === "settled"
        ? false
        : (data?.expectedBy ?? null) === null
          ? UNTIL_ANNOUNCED_MS
          : UNTIL_SETTLED_MS,
  });
  if (status.data === undefined) {
    return null;
  }
  const { text, basis, look } = describeSpread(status.data, savedAt, formatTime);
  return (
    <span className={`spread-line status ${look}`} role="status" {...hinted(basis)}>
      <Radio size={14} aria-hidden />
      {text}
    </span>
  );
}
