/** The filters of clicks, each with a way to take it away. */
import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { linkQuery } from "../links/link-cache.ts";
import { type AnalyticsSearch, type Chip, chipsOf, DIMENSIONS, withoutChip } from "./analytics-search.ts";
import { valueName } from "./value-name.ts";

type FilterChipsProps = {
  readonly search: AnalyticsSearch;
  readonly onChange: (search: AnalyticsSearch) => void;
};

export function FilterChips({ search, onChange }: FilterChipsProps) {
  return chipsOf(search)
    .filter(({ dimension }) => dimension !== "class")
    .map((chip) => (
      <FilterChip
        key={`${chip.dimension}${String(chip.isNot)}${chip.value}`}
        chip={chip}
        onRemove={() => onChange(withoutChip(search, chip))}
      />
    ));
}

function FilterChip({ chip, onRemove }: { readonly chip: Chip; readonly onRemove: () => void }) {
  const { dimension, isNot, value } = chip;
  const link = useQuery({
    ...linkQuery(value),
    enabled: dimension === "link" && value !== "",
    staleTime: 60_000,
  });
  const name = valueName(dimension, value, link.data?.link.shortUrl ?? null);
  const text = `${DIMENSIONS[dimension]}${isNot ? " is not" : ":"} ${name}`;
  return (
    <span className="chip active">
      <span className="cut">{text}</span>
      <button type="button" aria-label={`Remove the filter ${text}`} onClick={onRemove}>
        <X size={13} aria-hidden />
      </button>
    </span>
  );
}
